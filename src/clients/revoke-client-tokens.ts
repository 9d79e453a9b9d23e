import type { GatehouseError } from '../errors.ts'
import { collectIn, partialFailure, isCorruptRecord, CorruptRecord } from '../store/corrupt-record.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'
import type { Revocations } from '../revocation/revoke-tokens.ts'
import type { Client } from './client.ts'
import { clientNotFound, isClientId } from './client-id.ts'
import { createClientLists, KINDS } from './client-index.ts'
import {
  clientOf,
  clientRecords,
  isDeleted,
  type ClientRecord,
  type ClientOrDeleted,
} from './client-record.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { changeEntry, changeEvent } from './store-change.ts'
import type { RemovalOptions } from '../host/change-options.ts'
import { hostIdRule } from '../validation/rules.ts'
import { bumpEpoch, bumpEpochFor, revocationsOf, revocationOfCorrupt } from './client-record.ts'

export interface PlannedRevocation {
  readonly client: Client
  /** Undefined for all tokens. */
  readonly scopes: readonly string[] | undefined
}

/** Revokes the tokens of API keys and applications, also of those with corrupt records. */
export function createClientTokens(
  parts: Pick<ClientsDependencies, 'store' | 'clientChanged' | 'commits'> & {
    readonly revocations: Pick<Revocations, 'revokeFirst' | 'revokeAs'>
  },
) {
  const { store, revocations, clientChanged, commits } = parts
  const records = clientRecords<Client>(store, clientChanged)
  const index = createClientLists<Client>(store)

  async function revoke(
    clientId: string,
    options: RemovalOptions,
    apply: (record: ClientRecord) => ClientRecord,
    target?: string,
  ): Promise<void> {
    if (!isClientId(clientId)) throw clientNotFound(clientId)
    const { actor } = options
    const revoked = { name: 'tokens.revoked', target, options }
    const change = commits.commit<ClientOrDeleted, ClientRecord>({
      record: records.deletable(clientId),
      write(found) {
        if (!found) throw clientNotFound(clientId)
        return isDeleted(found) ? undefined : apply(found)
      },
      entry: ({ client }) => changeEntry(client, revoked),
      event: ({ client }) => changeEvent(client, revoked),
      revokes: (found) => revocationsOf(clientId, isDeleted(found) ? undefined : found),
      actor,
    })
    await change.catch(async (error: unknown) => {
      if (!isCorruptRecord(error)) throw error
      await revocations.revokeAs(actor, ...revocationOfCorrupt(clientId, Date.now()))
      throw partialFailure([error], 'The tokens of that client were revoked nevertheless')
    })
  }

  return {
    /**
     * Tokens that are issued later are valid. @throws {GatehouseError} `ERR_NOT_FOUND`, `ERR_STORE_UNAVAILABLE`;
     *   `ERR_STORE_CORRUPT` if the record of the client is corrupt; its tokens are revoked nevertheless
     */
    revokeAll: (clientId: string, options: RemovalOptions) => revoke(clientId, options, bumpEpoch),

    /** As `revokeAll`, for tokens with one of `scopes`; for all tokens if the record is corrupt. */
    revokeScopes: (clientId: string, scopes: readonly string[], options: RemovalOptions) =>
      revoke(clientId, options, (record) => bumpEpochFor(record, scopes), scopes.join(' ')),

    /** At once, before each client's own revocation. @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` */
    revokeFirst: (planned: readonly PlannedRevocation[]) =>
      revocations.revokeFirst(
        planned.map(({ client, scopes }) => ({
          of: 'client',
          id: client.clientId,
          // `revokeAll` and `revokeScopes` raise each epoch by 1 later, so the present epoch is revoked here.
          below: client.epoch + 1,
          ...(scopes && { scopes }),
        })),
      ),

    /** What the current epoch requires. Repeating these revocations is harmless. */
    async revocationsOf(clientId: string): Promise<readonly RevocationSpec[]> {
      const [found] = await records.getEach([clientId])
      if (found instanceof CorruptRecord) return revocationOfCorrupt(clientId, Date.now())
      const exists = found !== undefined || (await records.deletedKind(clientId)) !== undefined
      return exists ? revocationsOf(clientId, found) : []
    },

    /** With corrupt records. @throws {GatehouseError} after the last page, `ERR_STORE_CORRUPT` for a list */
    async *listByAccount(accountId: string): AsyncGenerator<readonly (Client | CorruptRecord)[]> {
      // An account with an invalid id has no clients. The store may also reject such an id in a key.
      if (hostIdRule(accountId) !== undefined) return
      const errors: GatehouseError[] = []
      for (const kind of KINDS) {
        try {
          for await (const { items, corrupt } of index.pages(accountId, [kind]))
            yield [...items.map(clientOf), ...corrupt]
        } catch (error) {
          collectIn(errors)(error)
        }
      }
      if (errors.length > 0) throw partialFailure(errors, 'The clients on a corrupt list could not be read')
    },
  }
}

export type ClientTokens = ReturnType<typeof createClientTokens>
