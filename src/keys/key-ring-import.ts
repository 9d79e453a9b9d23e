import { GatehouseError } from '../errors.ts'
import { inState, type RingKey } from './rotation-policy.ts'
import type { LogMarks } from './key-ring-loader.ts'
import type { KeyRingRecords, OpenKey } from './key-ring-record.ts'
import type { KeyRingStore } from './key-ring-store.ts'

interface KeyRingImportParts {
  readonly records: KeyRingRecords
  readonly ringStore: KeyRingStore
  readonly marks: LogMarks
  readonly revoke: (kid: string) => Promise<void>
}

/** Exports the key ring, and imports a key ring into a store that has none. */
export function createExportableKeys(parts: KeyRingImportParts) {
  return {
    /** The key ring, encrypted as in the store. An unchanged ring always has the same text. */
    toText: async () => parts.records.toText(await parts.ringStore.read()),
    /**
     * Decrypts the key ring of another store. The returned function imports it, returns the number of keys, and may be
     * called again. Throws `ERR_SECRET_MISMATCH`, `ERR_STORE_CORRUPT`, or `ERR_CONFLICT` (`findSameRing`).
     */
    async unseal(text: string): Promise<() => Promise<number>> {
      const keys = await parts.records.fromText(text)
      await findSameRing(parts, keys)
      return () => importRing(parts, keys)
    },
  }
}

export type ExportableKeys = ReturnType<typeof createExportableKeys>

async function importRing(parts: KeyRingImportParts, imported: readonly OpenKey[]): Promise<number> {
  const { records, ringStore, revoke } = parts
  if (!(await findSameRing(parts, imported))) {
    if (await records.create(await records.draft(imported))) return imported.length
    await findSameRing(parts, imported)
  }
  // The last write of the ring may not be durable, so the ring is written again.
  await ringStore.change((keys) => ({ keys, changes: [] }))
  const revoked = inState(imported, 'revoked').map(({ kid }) => kid)
  const own = ringStore.known?.keys ?? []
  for (const { kid, state } of own) if (state !== 'revoked' && revoked.includes(kid)) await revoke(kid)
  return 0
}

/**
 * Rings with a common key have one origin. Undefined for an empty store. `ERR_CONFLICT` if it has or has lost others.
 */
async function findSameRing(
  { records, ringStore, marks }: KeyRingImportParts,
  imported: readonly RingKey[],
): Promise<readonly RingKey[] | undefined> {
  const own = ((await records.read()) ?? ringStore.known)?.keys
  if (own?.some(({ kid }) => imported.some((key) => key.kid === kid))) return own
  if (!own && (await marks.list()).length === 0) return undefined
  throw new GatehouseError(
    'ERR_CONFLICT',
    'this store has signing keys of its own, so tokens of the imported keys would be rejected here. Import into an ' +
      'empty store before a process starts on it, or leave the keys out: importRegistry(lines, { signingKeys: false }). ' +
      'Nothing was changed',
  )
}
