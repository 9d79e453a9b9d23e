import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import type { Revocations, RevocationSpec } from '../revocation/revoke-tokens.ts'

/** Finishes what a process began to revoke, and did not finish because it ended in the middle. */
export interface ResumeRevocations {
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
 * @param parts.resumeGrant what is to be revoked of a grant as it is now. What it answers for one that nothing
 *   was taken from must do no harm
 * @param parts.resumeAccount the same of all grants of an account
 */
export function createResumeRevocations({
  revocations,
  clientTokens,
  resumeGrant,
  resumeAccount,
  logger,
}: {
  readonly revocations: Pick<Revocations, 'resumeAll'>
  readonly clientTokens: Pick<ClientTokens, 'revocationsOf'>
  readonly resumeGrant: (grantId: string) => Promise<readonly RevocationSpec[]>
  readonly resumeAccount: (accountId: string) => Promise<readonly RevocationSpec[]>
  readonly logger: Logger
}): ResumeRevocations {
  const finishBy = {
    client: (id: string) => clientTokens.revocationsOf(id),
    grant: resumeGrant,
    account: resumeAccount,
  }

  return {
    start() {
      let stopped = false

      async function finish(): Promise<void> {
        try {
          await revocations.resumeAll(({ of, id }) => finishBy[of](id))
        } catch (error) {
          if (stopped) return
          logger.warn({ err: error }, 'pending revocations could not be completed; trying again')
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
