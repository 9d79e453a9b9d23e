import { asRevocation, type Revocation } from '../revocation/revocation.ts'
import type { RevocationLog } from '../revocation/revocation-log.ts'
import type { RevocationSet } from '../revocation/revocation-set.ts'
import { findProblems, optional } from '../validation/rules.ts'
import type { Section } from './section.ts'
import { countRule } from './record-rules.ts'

/** Seconds by which clocks may differ. */
const SKEW = 120

/** What taking tokens back needs to move. */
export interface MovedRevocations {
  readonly log: Pick<RevocationLog, 'add' | 'inForce'>
  /** What this process knows to be revoked. */
  readonly known: Pick<RevocationSet, 'add'>
  /** What will be revoked by changes that are under way. */
  listPending(): Promise<readonly Revocation[]>
}

/**
 * What was revoked and is in force. What is about to be is read before what has been: a change that is seen in a
 * record is in one or the other.
 */
export function revocationSection({ log, known, listPending }: MovedRevocations): Section {
  const lines = (revocations: readonly Revocation[]) => revocations.map((revocation) => ({ revocation }))

  return {
    is: 'revocation',
    async *exportLines() {
      yield lines(await listPending())
      for await (const revocations of log.inForce()) yield lines(revocations)
    },
    parseLine({ revocation }) {
      const found = asRevocation(revocation)
      if (!found) {
        return { problems: [{ path: 'revocation', message: 'must be a revocation that is known here' }] }
      }
      const below = 'below' in found ? found.below : undefined
      // The epoch of a client rises to it, and goes on counting from there.
      const problems = findProblems(
        { 'revocation.below': below },
        { 'revocation.below': optional(countRule) },
      )
      if (problems.length > 0) return { problems }
      return async (counts) => {
        if (found.until + SKEW < Date.now() / 1000) return
        known.add([found])
        await log.add([found])
        counts.revocations += 1
      }
    },
  }
}
