import type { Changeable } from '../commit/changeable.ts'
import { isRejection, storeUnavailable } from '../errors.ts'
import { confirmDurable, createIndexedRecords } from '../store/collection.ts'
import type { Store } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { clientEntriesOf, DELETED_CLIENTS, EXPIRIES, RESOURCE_SERVERS } from './index-entries.ts'
import type { WithOutbox } from '../audit/recording.ts'
import type { Client } from './client.ts'
import { identityOf, keysOf } from './jwk-set.ts'
import { isPublicClient } from './public-applications.ts'
import { describeSecrets, hasSecretHash, type StoredSecret } from './stored-secrets.ts'
import { dueNotice } from './expiry-policy.ts'
import { countRule, listOf, objectOf, oneOf, optional, textRule, type Rule } from '../validation/rules.ts'
import { clientRuleOf, kindRule, storedRules } from './rules-from-fields.ts'
import type { RevocationSpec } from '../revocation/kept-until.ts'

/** Tokens with an epoch below `since` are all revoked; those up to the present one, if they carry one of `scopes`. */
export interface PartialRevocation {
  readonly since: number
  readonly scopes: readonly string[]
}

/** The secrets are kept apart from `client`, so that returning `client` never exposes a hash. */
export interface ClientRecord<C extends Client = Client> extends WithOutbox {
  /** The client without `lastUsedAt`, and without the fields that `clientOf` adds. `lastUsedAt` has its own record. */
  readonly client: C
  /** The hashed secrets, newest first; empty after `reportCompromised`. */
  readonly secrets: readonly StoredSecret[]
  /** The time of creation in milliseconds. Clients of one process in the same millisecond get later times. */
  readonly listedAt: number
  /** Undefined if all tokens with a lower epoch are revoked. */
  readonly partialRevocations?: PartialRevocation | undefined
  /** The last notice of the present expiry that was given, or was already due when the expiry was set. */
  readonly noticed?: number | undefined
}

/** Without personal data. Reserves the id: a new client would get the grants and tokens of the old one. */
export interface DeletedClient extends WithOutbox {
  readonly deleted: true
  readonly kind: Client['kind']
  /** Above the `access_epoch` of every token of the client. */
  readonly epoch: number
  /** Epoch seconds. */
  readonly deletedAt: number
}

export type ClientOrDeleted<C extends Client = Client> = ClientRecord<C> | DeletedClient

/** Called after a record was written, or may have been written. Never rejects. */
export type ClientChanged = (clientId: string) => Promise<void>

/** Records of clients and their epochs. @param changed called after each change, which resolves only after this call */
export function clientRecords<C extends Client>(store: Store, changed: ClientChanged = async () => {}) {
  const stored = storedClients<C>(store)

  function changing(clientId: string, how: 'change' | 'end'): Changeable<ClientOrDeleted<C>> {
    return {
      ...subjectOf(clientId),
      async change(write, ready) {
        const confirmed = (found?: ClientOrDeleted<C>) => write(found) ?? (found && confirmDurable(found))
        const made = await stored[how](clientId, confirmed, ready).catch((error: unknown) => {
          // The change may have been applied.
          if (!isRejection(error)) void changed(clientId)
          throw error
        })
        return { stored: made.stored, beside: Promise.all([made.stored && changed(clientId), made.tidied]) }
      },
    }
  }

  function changeable(clientId: string): Changeable<ClientRecord<C>> {
    const { change, ...subject } = changing(clientId, 'change')
    return {
      ...subject,
      async change(write, ready) {
        const made = await change((found) => write(unlessDeleted(found)), ready)
        return { ...made, stored: unlessDeleted(made.stored) }
      },
    }
  }

  function subjectOf(clientId: string) {
    return { key: stored.key(clientId), subject: { of: 'client', id: clientId } as const }
  }

  return {
    get: async (clientId: string) => unlessDeleted(await stored.get(clientId)),
    async deletedKind(clientId: string): Promise<Client['kind'] | undefined> {
      const found = await stored.get(clientId)
      return found && isDeleted(found) ? found.kind : undefined
    },
    async getEach(clientIds: readonly string[]): Promise<(ClientRecord<C> | CorruptRecord | undefined)[]> {
      const found = await stored.getEach(clientIds)
      return found.map((each) => (each instanceof CorruptRecord ? each : unlessDeleted(each)))
    },
    list: stored.list,
    unlist: stored.unlist,
    /** A deleted client counts as absent. */
    changeable,
    /** With deleted clients. A client that is deleted stays in its lists until the caller calls `unlist`. */
    deletable: (clientId: string) => changing(clientId, 'end'),
    /** A record that is created; the caller has listed it. No process knows it, so none is notified. */
    creatable: (clientId: string): Changeable<ClientOrDeleted<C>> => ({
      ...subjectOf(clientId),
      async change(write, ready) {
        const record = write(undefined)
        await ready
        if (record && (await stored.create(clientId, record))) return { stored: record }
        const found = await stored.get(clientId)
        if (!found) throw storeUnavailable('the store has lost the record; try again')
        // Throws, because the id is taken.
        return { stored: write(found) }
      },
    }),
    /** Without an audit entry. @param change pure; undefined for no change */
    async update(clientId: string, change: (record: ClientRecord<C>) => ClientRecord<C> | undefined) {
      const write = (found?: ClientRecord<C>) => found && change(found)
      const made = await changeable(clientId).change(write, Promise.resolve())
      await made.beside
      return made.stored
    },
  }
}

/** Both kinds share one collection, so a client id is unique, and one read finds the client. */
export type ClientRecords<C extends Client> = ReturnType<typeof clientRecords<C>>

export function storedClients<C extends Client>(store: Store) {
  return createIndexedRecords<ClientOrDeleted<C>>(store, {
    name: 'client',
    version: 1,
    fields: clientRecordRule,
    entriesOf: (stored, id) =>
      isDeleted(stored) ? [[DELETED_CLIENTS, id]] : clientEntriesOf(stored.client, stored.listedAt),
    lasting: [EXPIRIES, RESOURCE_SERVERS],
  })
}

function unlessDeleted<C extends Client>(stored: ClientOrDeleted<C> | undefined) {
  return stored === undefined || isDeleted(stored) ? undefined : stored
}

export function kindOf(stored: ClientOrDeleted): Client['kind'] {
  return isDeleted(stored) ? stored.kind : stored.client.kind
}

export function tombstoneOf({ client: { kind, epoch }, audit }: ClientRecord): DeletedClient {
  const deletedAt = Math.floor(Date.now() / 1000)
  return { deleted: true, kind, epoch: epoch + 1, deletedAt, ...(audit && { audit }) }
}

export function clientOf<C extends Client>({ client, secrets }: ClientRecord<C>): C {
  return { ...client, ...describeSecrets(secrets, needsSecret(client)) }
}

export function needsSecret(client: Client): boolean {
  return !isPublicClient(client) && keysOf(client).length === 0
}

export function hasCredential({ client, secrets }: Pick<ClientRecord, 'client' | 'secrets'>, hash: string) {
  return hasSecretHash(secrets, hash) || keysOf(client).some((key) => identityOf(key) === hash)
}

export function credentialsOf({ client, secrets }: Pick<ClientRecord, 'client' | 'secrets'>): string[] {
  return [...secrets.map(({ hash }) => hash), ...keysOf(client).map(identityOf)]
}

export function isDeleted(stored: ClientOrDeleted): stored is DeletedClient {
  return 'deleted' in stored
}

/** Of a new expiry, notices whose time has passed already are not given. @param before the record before a change */
export function withNewExpiry<C extends Client>(
  record: ClientRecord<C>,
  before?: ClientRecord<C>,
): ClientRecord<C> {
  const { expiresAt } = record.client
  if (expiresAt === undefined || expiresAt === before?.client.expiresAt) return record
  const { noticed: _, ...others } = record
  const noticed = dueNotice(expiresAt, Date.now())
  return { ...others, ...(noticed !== undefined && { noticed }) }
}

const storedRule = clientRuleOf(storedRules)

const deletedRule = objectOf({ deleted: oneOf(true), kind: kindRule, epoch: countRule, deletedAt: countRule })

const existingRule = objectOf({
  client: storedRule,
  secrets: listOf(
    objectOf({
      hash: textRule,
      createdAt: countRule,
      expiresAt: optional(countRule),
      shownTo: optional(textRule),
      hint: optional(textRule),
    }),
  ),
  listedAt: countRule,
  partialRevocations: optional(objectOf({ since: countRule, scopes: listOf(textRule) })),
  noticed: optional(countRule),
})

/** The rule for the record under a client id: of a client with this id, or of a deleted client. */
function clientRecordRule(clientId: string): Rule {
  return (value) => {
    const record = value as ClientOrDeleted
    if (isDeleted(record)) return deletedRule(record)
    return existingRule(record) ?? oneOf(clientId)(record.client.clientId)
  }
}

/** For the write that removes access: older tokens carry a lower epoch (`access_epoch`), and are rejected. */
export function bumpEpoch<C extends Client>(record: ClientRecord<C>): ClientRecord<C> {
  const client = { ...record.client, epoch: record.client.epoch + 1 }
  return { ...record, client, partialRevocations: undefined }
}

/** Also for the scopes of the last partial revocation: its process may have ended before it revoked the tokens. */
export function bumpEpochFor<C extends Client>(
  record: ClientRecord<C>,
  scopes: readonly string[],
): ClientRecord<C> {
  const { client, partialRevocations: before } = record
  const partialRevocations = {
    since: before?.since ?? client.epoch,
    scopes: [...new Set([...(before?.scopes ?? []), ...scopes])],
  }
  return { ...bumpEpoch(record), partialRevocations }
}

/** The epoch is unknown: all below the Unix time, which is above every real one. @param now milliseconds */
export function revocationOfCorrupt(id: string, now: number): readonly RevocationSpec[] {
  return [{ of: 'client', id, below: Math.floor(now / 1000) }]
}

/** The revocations that a record requires. May be repeated. @param found undefined after a deletion */
export function revocationsOf(
  id: string,
  found: Pick<ClientRecord, 'client' | 'partialRevocations'> | undefined,
): readonly RevocationSpec[] {
  if (!found) return [{ of: 'client', id }]
  const { client, partialRevocations } = found
  const below = partialRevocations?.since ?? client.epoch
  // No token has an epoch below 0.
  const revocations: RevocationSpec[] = below === 0 ? [] : [{ of: 'client', id, below }]
  if (partialRevocations && client.epoch > 0) {
    revocations.push({ of: 'client', id, below: client.epoch, scopes: partialRevocations.scopes })
  }
  return revocations
}
