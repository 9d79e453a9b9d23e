import { CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import type { Internals } from '../gatehouse/internals.ts'
import { asRevocation, type Revocation } from '../revocation/revocation.ts'
import { optional } from '../validation/rules.ts'
import { checkLine, problemsOfLine } from './file-format.ts'
import type { Section } from './section.ts'
import { countRule } from './record-rules.ts'

/**
 * The pending revocations, and the revocations in force. The pending revocations are read first, so that the file also
 * contains a revocation that comes into force during the export.
 *
 * @param listPending reads the revocations that pending changes will make
 */
export function revocationSection(
  { revocationLog: log, revoked }: Internals,
  listPending: () => Promise<readonly Revocation[]>,
): Section {
  const lines = (revocations: readonly Revocation[]) => revocations.map((revocation) => ({ revocation }))

  return {
    is: 'revocation',
    async *exportLines() {
      yield lines(await listPending())
      for await (const revocations of log.inForce()) yield lines(revocations)
    },
    parseLine({ revocation }, number) {
      const found = asRevocation(revocation)
      if (!found) {
        const message = 'must be a revocation of a known kind'
        throw problemsOfLine(number, [{ path: 'revocation', code: 'format', message }])
      }
      const below = 'below' in found ? found.below : undefined
      // The epoch of a client may be raised to `below`, and must be able to rise further. So `below` must
      // obey the limit of an epoch.
      checkLine(number, { 'revocation.below': below }, { 'revocation.below': optional(countRule) })
      return async (counts) => {
        if (found.until + CLOCK_SKEW_SECONDS < Date.now() / 1000) return
        revoked.add([found])
        await log.add([found])
        counts.revocations += 1
      }
    },
  }
}
