import { periodically } from '../scheduling/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { ClientTokens } from '../registry/client-tokens.ts'
import type { Revocations, Taken } from '../tokens/revocations/revocations.ts'

/** Finishes what a process began to take back, and did not finish because it ended in the middle. */
export interface Unfinished {
  /**
   * Looks for it now, behind the scenes, and every minute from then on.
   *
   * @returns a function that ends it
   */
  start(): () => void
}

/** Milliseconds. */
const EVERY = 60_000

/**
 * @param parts.finishGrant what is to be taken back of a grant as it is now. What it answers for one that nothing
 *   was taken from must do no harm
 * @param parts.finishAccount the same of all grants of an account
 */
export function createUnfinished({
  revocations,
  clientTokens,
  finishGrant,
  finishAccount,
  logger,
}: {
  readonly revocations: Pick<Revocations, 'settleWith'>
  readonly clientTokens: Pick<ClientTokens, 'takenOf'>
  readonly finishGrant: (grantId: string) => Promise<readonly Taken[]>
  readonly finishAccount: (accountId: string) => Promise<readonly Taken[]>
  readonly logger: Logger
}): Unfinished {
  const finishBy = {
    client: (id: string) => clientTokens.takenOf(id),
    grant: finishGrant,
    account: finishAccount,
  }

  return {
    start() {
      let stopped = false

      async function finish(): Promise<void> {
        try {
          await revocations.settleWith(({ of, id }) => finishBy[of](id))
        } catch (error) {
          if (stopped) return
          logger.warn({ err: error }, 'a revocation that was begun could not be finished; trying again')
        }
      }

      void finish()
      const end = periodically(finish, EVERY)
      return () => {
        stopped = true
        end()
      }
    },
  }
}
