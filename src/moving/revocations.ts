import { asRevocation, type Revocation } from '../tokens/revocations/revocation.ts'
import type { RevocationLog } from '../tokens/revocations/revocation-log.ts'
import type { RevocationSet } from '../tokens/revocations/revocation-set.ts'
import { findProblems, optional } from '../registry/input.ts'
import type { Cargo } from './cargo.ts'
import { countRule } from './rules.ts'

/** Seconds by which clocks may differ. */
const SKEW = 120

/** What taking tokens back needs to move. */
export interface MovedRevocations {
  readonly log: Pick<RevocationLog, 'add' | 'inForce'>
  /** What this process knows to be taken back. */
  readonly known: Pick<RevocationSet, 'add'>
  /** What will be taken back by changes that are under way. */
  underWay(): Promise<readonly Revocation[]>
}

/**
 * What was taken back and is in force. What is about to be is read before what has been: a change that is seen in a
 * record is in one or the other.
 */
export function revocationCargo({ log, known, underWay }: MovedRevocations): Cargo {
  const lines = (revocations: readonly Revocation[]) => revocations.map((revocation) => ({ revocation }))

  return {
    is: 'revocation',
    async *pack() {
      yield lines(await underWay())
      for await (const revocations of log.inForce()) yield lines(revocations)
    },
    unpack({ revocation }) {
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
