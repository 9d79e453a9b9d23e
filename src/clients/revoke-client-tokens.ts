import type { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Store } from '../store/contract.ts'
import { partialFailure, isCorruptRecord, type CorruptRecord } from '../store/corrupt-record.ts'
import type { Revocations, RevocationSpec } from '../revocation/revoke-tokens.ts'
import type { Client } from './client.ts'
import { isClientId } from './client-id.ts'
import { createClientIndex } from './client-index.ts'
import { clientNotFound } from './client-not-found.ts'
import { clientRecords, type ClientChanged, type ClientRecord } from './client-record.ts'
import type { ChangeOptions } from './client-service-types.ts'
import { hostIdRule } from '../validation/rules.ts'
import { bumpEpoch, partialRevocationsFrom, revocationsOf, revocationOfCorrupt } from './access-epoch.ts'

/** The tokens of API keys and applications, to be revoked; wherever those are kept. */
export interface ClientTokens {
  /**
   * Revokes all tokens that a client has got until now; those that it gets from now on are good.
   *
   * @throws {GatehouseError} `ERR_NOT_FOUND`, `ERR_STORE_UNAVAILABLE`; `ERR_STORE_CORRUPT` if its record cannot be read:
   *   its tokens are revoked all the same
   */
  revokeAll(clientId: string, options: ChangeOptions): Promise<void>
  /** The same of those that carry one of `scopes`; of all where its record cannot be read. */
  revokeCarrying(clientId: string, scopes: readonly string[], options: ChangeOptions): Promise<void>
  /** What is to be revoked of a client as it is now: once more, so that it does no harm. */
  revocationsOf(clientId: string): Promise<readonly RevocationSpec[]>
  /**
   * All API keys and applications of an account, some at a time, and what stands in the place of one.
   *
   * @throws {GatehouseError} `ERR_HOST_CALLBACK` where the host keeps them and does not list them; `ERR_STORE_CORRUPT`,
   *   after the others, where a list of them cannot be read
   */
  ofAccount(accountId: string): AsyncIterable<readonly (Client | CorruptRecord)[]>
}

/** How many of an account's clients are handed out at once, at most. */
export const PAGE = 50

/** What is said where the record of a client cannot be read. */
export const DONE = 'The tokens of that client were revoked all the same'

/** Of which kind a client is plays no part here. */
const EITHER = 'API key or application'

/** Revokes tokens of clients that are kept in the store. */
export function createClientTokens({
  store,
  events,
  revocations,
  clientChanged,
}: {
  readonly store: Store
  readonly events: EventSink
  readonly revocations: Pick<Revocations, 'revokeWith'>
  /** Told of each change, so that no process goes by what the client was before. */
  readonly clientChanged: ClientChanged
}): ClientTokens {
  const records = clientRecords<Client>(store, clientChanged)

  async function take(
    clientId: string,
    { actor }: ChangeOptions,
    apply: (record: ClientRecord) => ClientRecord,
    target?: string,
  ): Promise<void> {
    if (!isClientId(clientId)) throw clientNotFound(EITHER, clientId)
    const unreadable = await revocations.revokeWith({ of: 'client', id: clientId }, async () => {
      try {
        const record = await records.update(clientId, apply)
        if (record) {
          const { kind, accountId } = record.client
          const change = 'tokens.revoked'
          events.emit('client.changed', { kind, clientId, accountId, actor, change, target })
        } else if ((await records.deletedKind(clientId)) === undefined) throw clientNotFound(EITHER, clientId)
        return { result: undefined, revoked: revocationsOf(clientId, record), actor }
      } catch (error) {
        if (!isCorruptRecord(error)) throw error
        return { result: error, revoked: revocationOfCorrupt(clientId, Date.now()), actor }
      }
    })
    if (unreadable) throw partialFailure([unreadable], DONE)
  }

  async function* ofKind(kind: Client['kind'], accountId: string) {
    const index = createClientIndex<Client>({ store, kind, load: (ids) => records.getEach(ids) })
    let after: string | undefined
    do {
      const { items, corrupt, cursor } = await index.page(accountId, { cursor: after, limit: PAGE })
      yield [...items.map(({ client }) => client), ...corrupt]
      after = cursor
    } while (after !== undefined)
  }

  return {
    revokeAll: (clientId, options) => take(clientId, options, bumpEpoch),

    revokeCarrying: (clientId, scopes, options) =>
      take(clientId, options, (record) => partialRevocationsFrom(record, scopes), scopes.join(' ')),

    async revocationsOf(clientId) {
      const record = await records.get(clientId)
      const exists = record !== undefined || (await records.deletedKind(clientId)) !== undefined
      return exists ? revocationsOf(clientId, record) : []
    },

    async *ofAccount(accountId) {
      // No client here belongs to such an account, and the store need not be able to name a list of its.
      if (hostIdRule(accountId) !== undefined) return
      const errors: GatehouseError[] = []
      for (const kind of ['apiKey', 'application'] as const) {
        try {
          yield* ofKind(kind, accountId)
        } catch (error) {
          if (!isCorruptRecord(error)) throw error
          errors.push(error)
        }
      }
      if (errors.length > 0) throw partialFailure(errors, 'Who is on that list is not known')
    },
  }
}
