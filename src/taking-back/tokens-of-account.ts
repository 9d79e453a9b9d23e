import type { GatehouseError } from '../errors.ts'
import type { Client } from '../registry/client.ts'
import type { ChangeOptions } from '../registry/client-service.ts'
import type { ClientTokens } from '../registry/client-tokens.ts'
import { doneInSpiteOf, isUnreadable, Unreadable } from '../store/unreadable.ts'
import type { Grants } from './grants.ts'

/** What was taken back. */
export interface RevokedAccess {
  /** API keys and applications, some of whose tokens, or all, are dead. */
  readonly clients: number
  /** Authorizations by the account that have ended. */
  readonly grants: number
}

/** What came of going through the clients of an account. */
export interface OfClients {
  /** Of how many something was taken back. */
  readonly clients: number
  /** Of what cannot be read. */
  readonly errors: readonly GatehouseError[]
}

/** All tokens that have to do with an account, whether it owns the client or is acted on. */
export interface TokensOfAccount {
  /**
   * Takes them back.
   *
   * @throws {GatehouseError} `ERR_HOST_CALLBACK` as `ClientTokens.ofAccount`, before anything was done;
   *   `ERR_STORE_RECORD` where something of it cannot be read, after all has been done that can be
   */
  revokeAll(accountId: string, options: ChangeOptions): Promise<RevokedAccess>
  /**
   * Goes through the clients of the account, some at the same time.
   *
   * @param take takes something back, and says whether it did. Where it rejects with `ERR_STORE_RECORD` the others are
   *   gone through all the same
   */
  ofClients(accountId: string, take: (client: Client | Unreadable) => Promise<boolean>): Promise<OfClients>
}

/** @param grants those that accounts have given, which end with their tokens */
export function createTokensOfAccount(
  clientTokens: Pick<ClientTokens, 'ofAccount' | 'revokeAll'>,
  grants: Pick<Grants, 'revokeAllOf'>,
): TokensOfAccount {
  const ofClients: TokensOfAccount['ofClients'] = async (accountId, take) => {
    let clients = 0
    const errors: GatehouseError[] = []
    const note = (error: unknown): false => {
      if (!isUnreadable(error)) throw error
      errors.push(error)
      return false
    }
    try {
      for await (const page of clientTokens.ofAccount(accountId)) {
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
        await clientTokens.revokeAll(client instanceof Unreadable ? client.id : client.clientId, options)
        return true
      })
      const ended = await grants.revokeAllOf({ accountId }, options).catch((error: unknown) => {
        if (isUnreadable(error)) return error
        throw error
      })
      if (typeof ended === 'number' && errors.length === 0) return { clients, grants: ended }
      const all = typeof ended === 'number' ? errors : [...errors, ended]
      throw doneInSpiteOf(all, 'All else that is known of the account was taken back')
    },
  }
}
