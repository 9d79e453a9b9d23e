import type { EntryFields } from '../../audit/entry.ts'
import type { Outbox, WithOutbox } from '../../audit/outbox.ts'
import { GatehouseError } from '../../errors.ts'
import { type ChangeOptions, checkChange, changeOptionsOf } from '../../host/change-options.ts'
import type { EventSink } from '../../host/events.ts'
import { confirmDurable } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import { createIndexedRecords } from '../../store/indexed-records.ts'
import type { RevocationSpec } from '../../revocation/kept-until.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import { booleanRule, countRule, optional, textRule } from '../../validation/rules.ts'
import { isDocumentOrigin } from '../../validation/document-id.ts'

/** Of a host that was blocked at least once. */
export interface HostRecord extends WithOutbox {
  /** Such as `https://claude.ai`. */
  readonly origin: string
  /** How often the host was blocked. Tokens of its clients with a lower `access_epoch` are rejected. */
  readonly epoch: number
  readonly isBlocked: boolean
  /** Epoch seconds. */
  readonly blockedAt: number
  readonly blockedBy?: string | undefined
  readonly isClearing: boolean
}

/** A member is an origin. */
const HOSTS = 'client-document-hosts'

const PAGE_SIZE = 500

export function hostRecords(store: Store) {
  const records = createIndexedRecords<HostRecord>(store, {
    name: 'client-document-host',
    version: 1,
    fields: {
      origin: textRule,
      epoch: countRule,
      isBlocked: booleanRule,
      blockedAt: countRule,
      blockedBy: optional(textRule),
      isClearing: booleanRule,
    },
    entriesOf: ({ origin }) => [[HOSTS, origin]],
    lasting: [HOSTS],
  })
  return {
    key: (origin: string) => records.key(digest(origin)),
    get: (origin: string) => records.get(digest(origin)),
    put: (origin: string, change: (record: HostRecord | undefined) => HostRecord | undefined) =>
      records.put(digest(origin), change),
    update: (origin: string, change: (record: HostRecord) => HostRecord | undefined) =>
      records.update(digest(origin), change),
    /** In alphabetical order. */
    pages: () => records.pages(HOSTS, { idOf: digest, limit: PAGE_SIZE }),
  }
}

/** May be repeated. */
export async function revocationsOfHost(store: Store, origin: string): Promise<readonly RevocationSpec[]> {
  return revocationsOf(await hostRecords(store).get(origin))
}

function revocationsOf(record: HostRecord | undefined): readonly RevocationSpec[] {
  return record ? [{ of: 'client', id: record.origin, below: record.epoch }] : []
}

/** The methods `block` and `unblock` of `ClientDocuments`. */
export function createBlockedHosts(parts: {
  readonly store: Store
  readonly revocations: Pick<Revocations, 'revokeWith'>
  readonly events: EventSink
  readonly audit: { change<T>(key: string, change: (outbox: Outbox) => Promise<T>): Promise<T> }
  readonly clear: () => void
}) {
  const { store, revocations, events, audit, clear } = parts
  const records = hostRecords(store)

  return {
    /** One revocation is for all clients of the host. */
    async block(host: string, options: ChangeOptions = {}): Promise<void> {
      checkChange('clientDocuments.block', options)
      const origin = requireOrigin(host)
      const { actor } = options
      const entry = { name: 'document_host.blocked', target: host, ...changeOptionsOf(options) }
      await revocations.revokeWith(
        { of: 'client', id: origin },
        async () => {
          const record = await storeBlock(origin, actor)
          return { result: undefined, revoked: revocationsOf(record), actor }
        },
        entry,
      )
      events.emit('document_host.blocked', { host, ...(actor !== undefined && { actor }) })
      clear()
    },

    async unblock(host: string, options: ChangeOptions = {}): Promise<void> {
      checkChange('clientDocuments.unblock', options)
      const origin = requireOrigin(host)
      const entry: EntryFields = {
        name: 'document_host.unblocked',
        target: host,
        ...changeOptionsOf(options),
      }
      const unblocked = (stored: HostRecord): HostRecord => {
        if (!stored.isBlocked) throw notBlocked()
        if (!stored.isClearing) return { ...stored, isBlocked: false }
        throw new GatehouseError('ERR_IN_PROGRESS', 'the grants of this host are still being deleted')
      }
      const record = await audit.change(records.key(origin), (outbox) =>
        records.update(origin, (stored) => outbox.put(unblocked(stored), entry)),
      )
      if (!record) throw notBlocked()
      const { actor } = options
      events.emit('document_host.unblocked', { host, ...(actor !== undefined && { actor }) })
    },
  }

  function storeBlock(origin: string, actor: string | undefined): Promise<HostRecord | undefined> {
    const blockedAt = Math.floor(Date.now() / 1000)
    return records.put(origin, (stored) => {
      if (stored?.isBlocked) return confirmDurable(stored)
      const epoch = (stored?.epoch ?? 0) + 1
      return { ...stored, origin, epoch, isBlocked: true, blockedAt, blockedBy: actor, isClearing: true }
    })
  }
}

const notBlocked = () => new GatehouseError('ERR_NOT_FOUND', 'this host is not blocked')

function requireOrigin(host: string): string {
  const origin = `https://${host}`
  if (typeof host === 'string' && isDocumentOrigin(origin)) return origin
  const message =
    'host must be one host in lower case, such as "claude.ai": subdomains are hosts of their own, and are blocked one by one'
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
}

export type ExportedHost = Omit<HostRecord, 'isClearing' | 'audit'>

/**
 * A host that is blocked in the file or in the store is blocked afterwards, and the epoch is that of the file at least.
 * May be called again.
 *
 * @returns whether the host is blocked now, and was not before
 */
export async function restoreHost(
  { store, revocations }: { readonly store: Store; readonly revocations: Pick<Revocations, 'revokeWith'> },
  host: ExportedHost,
): Promise<boolean> {
  const records = hostRecords(store)
  const { origin } = host
  let isNew = false
  const save = () =>
    records.put(origin, (stored) => {
      isNew = host.isBlocked && !stored?.isBlocked
      return stored ? merge(stored, host) : { ...host, isClearing: host.isBlocked }
    })
  if (host.isBlocked) {
    await revocations.revokeWith({ of: 'client', id: origin }, async () => ({
      result: undefined,
      revoked: revocationsOf(await save()),
    }))
  } else await save()
  return isNew
}

function merge(stored: HostRecord, host: ExportedHost): HostRecord {
  if (host.isBlocked && !stored.isBlocked) {
    // Tokens that this store has issued since the unblocking must be rejected too.
    return { ...stored, ...host, epoch: Math.max(host.epoch, stored.epoch + 1), isClearing: true }
  }
  return host.epoch > stored.epoch ? { ...stored, epoch: host.epoch } : confirmDurable(stored)
}
