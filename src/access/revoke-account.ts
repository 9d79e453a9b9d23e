import type { GatehouseError } from '../errors.ts'
import type { Client } from '../clients/client.ts'
import type { ChangeOptions } from '../clients/client-service-types.ts'
import type { ClientTokens } from '../clients/revoke-client-tokens.ts'
import { partialFailure, isCorruptRecord, CorruptRecord } from '../store/corrupt-record.ts'
import type { Grants } from '../grants/grant-service.ts'

/** What was revoked. */
export interface RevokedAccess {
  /** API keys and applications, some of whose tokens, or all, are dead. */
  readonly clients: number
  /** Authorizations by the account that have ended. */
  readonly grants: number
}

/** What came of going through the clients of an account. */
export interface OfClients {
  /** Of how many something was revoked. */
  readonly clients: number
  /** Of what cannot be read. */
  readonly errors: readonly GatehouseError[]
}

/** All tokens that have to do with an account, whether it owns the client or is acted on. */
export interface RevokeAccount {
  /**
   * Takes them back.
   *
   * @throws {GatehouseError} `ERR_HOST_CALLBACK` as `ClientTokens.listByAccount`, before anything was done;
   *   `ERR_STORE_CORRUPT` where something of it cannot be read, after all has been done that can be
   */
  revokeAll(accountId: string, options: ChangeOptions): Promise<RevokedAccess>
  /**
   * Goes through the clients of the account, some at the same time.
   *
   * @param take takes something back, and says whether it did. Where it rejects with `ERR_STORE_CORRUPT` the others are
   *   gone through all the same
   */
  ofClients(accountId: string, take: (client: Client | CorruptRecord) => Promise<boolean>): Promise<OfClients>
}

/** @param grants those that accounts have given, which end with their tokens */
export function createRevokeAccount(
  clientTokens: Pick<ClientTokens, 'listByAccount' | 'revokeAll'>,
  grants: Pick<Grants, 'revokeAll'>,
): RevokeAccount {
  const ofClients: RevokeAccount['ofClients'] = async (accountId, take) => {
    let clients = 0
    const errors: GatehouseError[] = []
    const note = (error: unknown): false => {
      if (!isCorruptRecord(error)) throw error
      errors.push(error)
      return false
    }
    try {
      for await (const page of clientTokens.listByAccount(accountId)) {
        const taken = await Promise.all(page.map((client) => take(client).catch(note)))
        clients += taken.filter(Boolean).length
      }
    } catch (error) {
      note(error)
    }
    return { clients, errors }
  }

  return {
    ofClients,

    async revokeAll(accountId, options) {
      const { clients, errors } = await ofClients(accountId, async (client) => {
        await clientTokens.revokeAll(client instanceof CorruptRecord ? client.id : client.clientId, options)
        return true
      })
      const ended = await grants.revokeAll({ accountId }, options).catch((error: unknown) => {
        if (isCorruptRecord(error)) return error
        throw error
      })
      if (typeof ended === 'number' && errors.length === 0) return { clients, grants: ended }
      const all = typeof ended === 'number' ? errors : [...errors, ended]
      throw partialFailure(all, 'All else that is known of the account was revoked')
    },
  }
}
