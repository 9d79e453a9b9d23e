import { createSections } from './backup/create-sections.ts'
import { writeFile } from './backup/export.ts'
import {
  importFile,
  type ImportedRegistry,
  type ImportOptions,
  type RegistrySource,
} from './backup/import.ts'
import type { AnyGatehouse } from './gatehouse/gatehouse.ts'
import { internalsOf } from './gatehouse/internals.ts'

export type { ImportedRegistry, ImportOptions, RegistrySource } from './backup/import.ts'

/**
 * Exports all data that must outlive the store, as lines of JSON that each end with `\n`. The export
 * contains API keys and applications, the ids of deleted clients, the signing keys, the revocations and the
 * scopes of the products. The export contains no plain secret: secrets of clients are hashed, and keys
 * are encrypted under `secret`. It contains no grants, refresh tokens, sessions or stored consents.
 * `Readable.from(exportRegistry(gatehouse))` can be piped to a file.
 *
 * Clients may change during the export. Each client is exported as it was at one moment of the export. A
 * corrupt record is skipped. The store key of the record is reported to `logger`, in the last line of the
 * file, and in `skipped` of the result of `importRegistry`. The iteration may reject with
 * `ERR_STORE_UNAVAILABLE`, or with an error of `ready()`. The file is then incomplete, and `importRegistry`
 * rejects the file.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if `gatehouse` is not from `createGatehouse()`
 */
export function exportRegistry(gatehouse: AnyGatehouse): AsyncIterable<string> {
  const sections = createSections(internalsOf(gatehouse, 'exportRegistry()'))
  return (async function* () {
    await gatehouse.ready()
    yield* writeFile(sections)
  })()
}

/**
 * Imports a file of `exportRegistry` into the store of a gatehouse. For a migration, call it on an empty store, before
 * any process starts on that store. The import does not start the gatehouse. If the store has a different
 * client with the same id, that client stays unchanged, and `conflicts` of the result contains its id. If the
 * store already has a catalog, its operations stay unchanged. Revocations are added, and a higher epoch
 * replaces a lower one. If an import fails, call it again with the same file to complete it.
 *
 * After the store was lost, restore a backup with `{ signingKeys: false }`. Otherwise the keys of the
 * backup would become valid again, and with them all tokens that were revoked since the backup.
 *
 * The signing keys are imported last, and only if the line counts of the file are right. So a file whose
 * revocations were taken out makes no revoked token valid.
 *
 * @param file a function that opens the file, for example `() => fs.createReadStream(name)`; or the text of the
 *   file; or a list of its pieces, of any size. These are read twice, and an incomplete file changes nothing. A
 *   stream or another iteration is read once: an incomplete file then imports its lines, but no signing keys
 * @throws {GatehouseError} before any change: `ERR_SECRET_MISMATCH` if `secret` does not contain the secret
 *   that encrypted the signing keys; `ERR_CONFLICT` if this store has other signing keys;
 *   `ERR_INVALID_ARGUMENT` if the file has another format or a newer version, or if `gatehouse` is not from
 *   `createGatehouse()`. After some lines were imported: `ERR_INVALID_ARGUMENT` with the number of an invalid line, or if
 *   the file is incomplete; `ERR_STORE_UNAVAILABLE`. At any time: `ERR_CLOSED`, and the errors of `file`
 */
export async function importRegistry(
  gatehouse: AnyGatehouse,
  file: RegistrySource,
  options?: ImportOptions,
): Promise<ImportedRegistry> {
  const internals = internalsOf(gatehouse, 'importRegistry()')
  internals.requireOpen()
  return importFile(createSections(internals), file, options)
}
