import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'

const INTERVAL_MS = 60_000

/** Completes revocations that stopped processes began. Each `resume…` returns what is still to be revoked. */
export function createResumeRevocations(parts: {
  readonly revocations: Pick<Revocations, 'resumeAll'>
  readonly clientTokens: Pick<ClientTokens, 'revocationsOf'>
  readonly resumeGrant: (grantId: string) => Promise<readonly RevocationSpec[]>
  readonly resumeAccount: (accountId: string) => Promise<readonly RevocationSpec[]>
  readonly logger: Logger
}) {
  const { revocations, clientTokens, resumeGrant: grant, resumeAccount: account, logger } = parts
  const specsBy = { client: (id: string) => clientTokens.revocationsOf(id), grant, account }

  return {
    /** Completes pending revocations in the background: immediately, and then again every minute. */
    start(): () => void {
      let stopped = false

      async function resume(): Promise<void> {
        try {
          await revocations.resumeAll(({ of, id }) => specsBy[of](id))
        } catch (error) {
          if (stopped) return
          logger.warn(
            { err: error },
            'pending revocations could not be completed; trying again within a minute',
          )
        }
      }

      void resume()
      const stop = periodically(resume, INTERVAL_MS)
      return () => {
        stopped = true
        stop()
      }
    },
  }
}

export type ResumeRevocations = ReturnType<typeof createResumeRevocations>
