import type { WithOutbox } from '../../audit/recording.ts'
import type { Changeable } from '../../commit/changeable.ts'
import type { Begun, Commits } from '../../commit/commit.ts'
import { GatehouseError, hasCode } from '../../errors.ts'
import { type ChangeOptions, checkChange, changeOptionsOf } from '../../host/change-options.ts'
import { confirmDurable, createIndexedRecords } from '../../store/collection.ts'
import type { Store } from '../../store/contract.ts'
import { digest } from '../../store/digest.ts'
import type { RevocationSpec } from '../../revocation/kept-until.ts'
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
    get: (origin: string) => records.get(digest(origin)),
    update: (origin: string, change: (record: HostRecord) => HostRecord | undefined) =>
      records.update(digest(origin), change),
    changeable: (origin: string): Changeable<HostRecord> => ({
      key: records.key(digest(origin)),
      subject: { of: 'client', id: origin },
      async change(write, ready) {
        const confirmed = (found?: HostRecord) => write(found) ?? (found && confirmDurable(found))
        const { stored, tidied } = await records.change(digest(origin), confirmed, ready)
        return { stored, beside: tidied }
      },
    }),
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

/** Blocks and unblocks hosts: revokes the tokens of their clients, and lets their grants be deleted. */
export function createBlockedHosts(parts: {
  readonly store: Store
  readonly commits: Pick<Commits, 'begin' | 'end' | 'commit'>
  /** Deletes the grants of the clients of a host. Does not wait for the end. */
  readonly clear: (origin: string, begun?: Begun) => void
}) {
  const { store, commits, clear } = parts
  const records = hostRecords(store)

  return {
    /** One revocation is for all clients of the host. */
    async block(host: string, options: ChangeOptions = {}): Promise<void> {
      checkChange('clientDocuments.block', options)
      const origin = requireOrigin(host)
      const { actor } = options
      const begun = await commits.begin({ subject: { of: 'host', id: origin } }, true)
      const blockedAt = Math.floor(Date.now() / 1000)
      await commits.commit({
        record: records.changeable(origin),
        write(stored) {
          if (stored?.isBlocked) return undefined
          const epoch = (stored?.epoch ?? 0) + 1
          return { ...stored, origin, epoch, isBlocked: true, blockedAt, blockedBy: actor, isClearing: true }
        },
        entry: () => ({ name: 'document_host.blocked', target: host, ...changeOptionsOf(options) }),
        event: () => ['document_host.blocked', { host, ...(actor !== undefined && { actor }) }],
        revokes: revocationsOf,
        actor,
      })
      clear(origin, begun)
    },

    async unblock(host: string, options: ChangeOptions = {}): Promise<void> {
      checkChange('clientDocuments.unblock', options)
      const { actor } = options
      const origin = requireOrigin(host)
      const change = commits.commit({
        record: records.changeable(origin),
        write(stored) {
          if (!stored?.isBlocked) throw new GatehouseError('ERR_NOT_FOUND', 'this host is not blocked')
          if (!stored.isClearing) return { ...stored, isBlocked: false }
          throw new GatehouseError('ERR_IN_PROGRESS', 'the grants of this host are still being deleted')
        },
        entry: () => ({ name: 'document_host.unblocked', target: host, ...changeOptionsOf(options) }),
        event: () => ['document_host.unblocked', { host, ...(actor !== undefined && { actor }) }],
      })
      await change.catch((error: unknown) => {
        // The process that blocked the host may have stopped before it could list this.
        if (hasCode(error, 'ERR_IN_PROGRESS')) clear(origin)
        throw error
      })
    },
  }
}

function requireOrigin(host: string): string {
  const origin = `https://${host}`
  if (typeof host === 'string' && isDocumentOrigin(origin)) return origin
  const message =
    'host must be one host in lower case, such as "claude.ai": subdomains are hosts of their own, and are blocked one by one'
  throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
}

export type ExportedHost = Omit<HostRecord, 'isClearing' | 'audit'>

/**
 * A host that is blocked in the file or in the store is blocked afterwards, and its epoch is at least that of the file.
 * May be called again. @returns whether the host is blocked now, and was not before
 */
export async function restoreHost(
  { store, commits }: { readonly store: Store; readonly commits: Pick<Commits, 'begin' | 'commit'> },
  host: ExportedHost,
): Promise<boolean> {
  const { origin, isBlocked } = host
  let isNew = false
  // It is not ended, so each process that runs the service finds it, and deletes the grants of the host.
  if (isBlocked) await commits.begin({ subject: { of: 'host', id: origin } })
  await commits.commit({
    record: hostRecords(store).changeable(origin),
    write(stored) {
      isNew = isBlocked && !stored?.isBlocked
      return stored ? merge(stored, host) : { ...host, isClearing: isBlocked }
    },
    revokes: (stored) => (isBlocked ? revocationsOf(stored) : []),
  })
  return isNew
}

function merge(stored: HostRecord, host: ExportedHost): HostRecord {
  if (host.isBlocked && !stored.isBlocked) {
    // Tokens that this store has issued since the unblocking must be rejected too.
    return { ...stored, ...host, epoch: Math.max(host.epoch, stored.epoch + 1), isClearing: true }
  }
  return host.epoch > stored.epoch ? { ...stored, epoch: host.epoch } : confirmDurable(stored)
}
