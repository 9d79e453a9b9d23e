import type { Client } from '../registry/client.ts'
import type { ChangeOptions } from '../registry/client-service.ts'
import type { ClientTokens } from '../registry/client-tokens.ts'
import type { Grants } from './grants.ts'

/** What was taken back. */
export interface RevokedAccess {
  /** API keys and applications, some of whose tokens, or all, are dead. */
  readonly clients: number
  /** Authorizations by the account that have ended. */
  readonly grants: number
}

/** All tokens that have to do with an account, whether it owns the client or is acted on. */
export interface TokensOfAccount {
  /** Takes them back. @throws as `ClientTokens.ofAccount`, before anything was done */
  revokeAll(accountId: string, options: ChangeOptions): Promise<RevokedAccess>
  /**
   * Goes through the clients of the account, some at the same time.
   *
   * @param take takes something back, and says whether it did
   * @returns how many it took something back of
   */
  ofClients(accountId: string, take: (client: Client) => Promise<boolean>): Promise<number>
}

/** @param grants those that accounts have given, which end with their tokens */
export function createTokensOfAccount(
  clientTokens: Pick<ClientTokens, 'ofAccount' | 'revokeAll'>,
  grants: Pick<Grants, 'revokeAllOf'>,
): TokensOfAccount {
  async function ofClients(accountId: string, take: (client: Client) => Promise<boolean>): Promise<number> {
    let count = 0
    for await (const clients of clientTokens.ofAccount(accountId)) {
      const taken = await Promise.all(clients.map(take))
      count += taken.filter(Boolean).length
    }
    return count
  }

  return {
    ofClients,

    async revokeAll(accountId, options) {
      const clients = await ofClients(accountId, async ({ clientId }) => {
        await clientTokens.revokeAll(clientId, options)
        return true
      })
      return { clients, grants: await grants.revokeAllOf({ accountId }, options) }
    },
  }
}
