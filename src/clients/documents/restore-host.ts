import { confirmDurable } from '../../store/confirm-durable.ts'
import type { Store } from '../../store/contract.ts'
import type { Revocations } from '../../revocation/revoke-tokens.ts'
import { hostRecords, type HostRecord } from './blocked-hosts.ts'

export type ExportedHost = Omit<HostRecord, 'isClearing' | 'audit'>

/**
 * Adds the state of a host from a file. A host that is blocked in the file or in the store is blocked
 * afterwards, and the epoch is that of the file at least. May be called again.
 *
 * @returns whether the host is blocked now, and was not before
 * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
 */
export async function restoreHost(
  { store, revocations }: { readonly store: Store; readonly revocations: Pick<Revocations, 'revokeWith'> },
  host: ExportedHost,
): Promise<boolean> {
  const records = hostRecords(store)
  const { origin } = host

  async function save(): Promise<{ readonly record: HostRecord; readonly isNew: boolean }> {
    const created = { ...host, isClearing: host.isBlocked }
    if (await records.create(created)) return { record: created, isNew: host.isBlocked }
    let isNew = false
    const record = await records.update(origin, (stored) => {
      isNew = host.isBlocked && !stored.isBlocked
      return merge(stored, host)
    })
    return { record: record ?? created, isNew }
  }

  if (!host.isBlocked) return (await save()).isNew
  return revocations.revokeWith({ of: 'client', id: origin }, async () => {
    const { record, isNew } = await save()
    return { result: isNew, revoked: [{ of: 'client', id: origin, below: record.epoch }] }
  })
}

function merge(stored: HostRecord, host: ExportedHost): HostRecord {
  if (host.isBlocked && !stored.isBlocked) {
    // Tokens that this store has issued since the unblocking must be rejected too.
    return { ...stored, ...host, epoch: Math.max(host.epoch, stored.epoch + 1), isClearing: true }
  }
  return host.epoch > stored.epoch ? { ...stored, epoch: host.epoch } : confirmDurable(stored)
}
