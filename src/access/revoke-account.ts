import type { GatehouseError } from '../errors.ts'
import type { Client } from '../clients/client.ts'
import { changeOptionsOf, type RemovalOptions } from '../host/change-options.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { partialFailure, isCorruptRecord, CorruptRecord } from '../store/corrupt-record.ts'
import type { Grants } from '../grants/grant-service.ts'

/** What was revoked. */
export interface RevokedAccess {
  /** The number of API keys and applications that had some or all of their tokens revoked. */
  readonly clients: number
  /** The number of grants of the account that were revoked. */
  readonly grants: number
}

/** @param grants lists and revokes the grants that accounts have authorized */
export function createRevokeAccount(
  clientTokens: Pick<ClientTokens, 'listByAccount' | 'revokeAll'>,
  grants: Pick<Grants, 'revokeAll'>,
) {
  /**
   * Calls `change` for each client of the account. The calls for the clients of one page run at the same
   * time.
   *
   * @param change returns whether it changed the client. If a call rejects with `ERR_STORE_CORRUPT`, the
   *   other clients are still changed
   * @returns the number of clients that were changed, and an error for each corrupt record
   */
  async function eachClient(
    accountId: string,
    change: (client: Client | CorruptRecord) => Promise<boolean>,
  ): Promise<{ readonly clients: number; readonly errors: readonly GatehouseError[] }> {
    let clients = 0
    const errors: GatehouseError[] = []
    const collect = (error: unknown): false => {
      if (!isCorruptRecord(error)) throw error
      errors.push(error)
      return false
    }
    try {
      for await (const page of clientTokens.listByAccount(accountId)) {
        const changed = await Promise.all(page.map((client) => change(client).catch(collect)))
        clients += changed.filter(Boolean).length
      }
    } catch (error) {
      collect(error)
    }
    return { clients, errors }
  }

  return {
    eachClient,
    /**
     * Revokes all tokens of an account: the tokens of its API keys and applications, and its grants with
     * their tokens.
     *
     * @param userId selects only the clients and grants of this user. A client whose record is corrupt may be
     *   the user's, so its tokens are revoked too
     * @throws {GatehouseError} `ERR_HOST_CALLBACK` like `ClientTokens.listByAccount`, before anything is
     *   revoked; `ERR_STORE_CORRUPT` for corrupt records, after everything else was revoked
     */
    async revokeAll(accountId: string, options: RemovalOptions, userId?: string): Promise<RevokedAccess> {
      const { clients, errors } = await eachClient(accountId, async (client) => {
        if (userId !== undefined && 'clientId' in client && client.userId !== userId) return false
        await clientTokens.revokeAll(client instanceof CorruptRecord ? client.id : client.clientId, options)
        return true
      })
      const revoked = await grants
        .revokeAll({ accountId, ...(userId !== undefined && { userId }) }, changeOptionsOf(options))
        .catch((error: unknown) => {
          if (isCorruptRecord(error)) return error
          throw error
        })
      if (typeof revoked === 'number' && errors.length === 0) return { clients, grants: revoked }
      const all = typeof revoked === 'number' ? errors : [...errors, revoked]
      throw partialFailure(all, 'Everything else that is known of the account was revoked')
    },
  }
}

/** Revokes the tokens of the clients that an account owns, and the account's grants with their tokens. */
export type RevokeAccount = ReturnType<typeof createRevokeAccount>
