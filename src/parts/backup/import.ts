import { setTimeout as delay } from 'node:timers/promises'
import { isStoreUnavailable } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { createSections, type Sections } from './create-sections.ts'
import { parseJson } from '../../validation/parse-json.ts'
import { checkInput, booleanRule, optional } from '../../validation/rules.ts'
import {
  fileCutOff,
  fileRejected,
  lineRejected,
  readHeader,
  readLine,
  readTrailer,
  type Header,
} from './file-format.ts'
import { readLines, type Chunks } from './read-lines.ts'
import { noCounts } from './import-record.ts'
import type { ImportLine, Section } from './section.ts'
import { SIGNING_KEYS } from './signing-keys.ts'

/** The result of an import. */
export interface ImportedRegistry {
  /** When the registry was exported, in epoch seconds. */
  readonly exportedAt: number
  /** The number of new API keys. */
  readonly apiKeys: number
  /** The number of new applications. */
  readonly applications: number
  /** The number of ids of deleted clients that are now reserved. */
  readonly deletedClients: number
  /** The number of hosts of client metadata documents that the import blocked. */
  readonly blockedHosts: number
  /** The number of imported signing keys; 0 if the store had the same keys already. */
  readonly signingKeys: number
  /** The number of revocations in the file that are still in force. */
  readonly revocations: number
  /**
   * The number of API keys and applications that the import deleted again, because their owner was erased after the
   * file was written (`accounts.erase`).
   */
  readonly erasedClients: number
  /** The number of lines that changed nothing. */
  readonly unchanged: number
  /** The ids of clients that exist in this store and differ from the file. The import did not change these clients. */
  readonly conflicts: readonly string[]
  /** The store keys, such as `client:<id>`, of corrupt records that the export skipped. Usually empty. */
  readonly skipped: readonly string[]
}

/** Options of an import. */
export interface ImportOptions {
  /**
   * Whether to import the signing keys. With `false`, tokens that these keys signed are rejected. Use `false`
   * to restore a backup after the store was lost: otherwise tokens that were revoked after the backup would
   * be valid again. Also use `false` if the store has its own signing keys.
   * @default true
   */
  readonly signingKeys?: boolean | undefined
}

/**
 * A file to import: its pieces, or a function that opens it. A function, a list or a text can be read twice: the whole
 * file is then checked before anything is written.
 */
export type RegistrySource = Chunks | (() => Chunks)

const BATCH_SIZE = 100

/**
 * Imports a file of `exportRegistry` into the store of a gatehouse. For a migration, call this function on an empty
 * store, before any process starts on that store. The import does not start the gatehouse. If the store has a
 * different client with the same id, that client stays unchanged, and `conflicts` of the result contains its id. If
 * the store already has a catalog, its operations stay unchanged. Revocations are added, and an epoch (a counter that
 * revokes older tokens) is raised if the epoch in the file is higher. A host of client metadata documents that is
 * blocked in the file is blocked. If an import fails, call it again with the same file to complete it.
 *
 * After the store was lost, restore a backup with `{ signingKeys: false }`. If the keys of the backup were imported,
 * all tokens that were revoked since the backup would become valid again.
 *
 * If the file or this store lists a person as erased, the import erases the person again. Records that the person made
 * after the erasure stay.
 *
 * The signing keys are imported last, and only if the line counts of the file are right. So if revocations are missing
 * in a file, no revoked token becomes valid.
 *
 * @param file a function that opens the file, for example `() => fs.createReadStream(name)`; or the text of the file;
 *   or a list of its pieces, of any size. A function, a text or a list is read twice: an incomplete file then changes
 *   nothing. A stream or another iterable is read once: the lines of an incomplete file are then imported, but no
 *   signing keys
 * @throws {GatehouseError} before any change: `ERR_SECRET_MISMATCH` if `secret` lacks a secret that encrypted the
 *   signing keys or the key of the erasures; `ERR_CONFLICT` if this store has other signing keys;
 *   `ERR_INVALID_ARGUMENT` if the file has another format or a newer version, or if `gatehouse` is not from
 *   `createGatehouse()`. After some lines were imported: `ERR_INVALID_ARGUMENT` if the file is incomplete, or if a line
 *   is invalid (with the number of the line); `ERR_STORE_UNAVAILABLE`; `ERR_STORE_CORRUPT` if a person could not be
 *   erased again because of corrupt records. At any time: `ERR_CLOSED`, and the errors of `file`
 */
export async function importRegistry(
  gatehouse: AnyGatehouse,
  file: RegistrySource,
  options: ImportOptions = {},
): Promise<ImportedRegistry> {
  const internals = internalsOf(gatehouse, 'importRegistry()')
  internals.requireOpen()
  checkInput('the registry cannot be imported', options, { signingKeys: optional(booleanRule) })
  const parts = createSections(internals, options.signingKeys !== false)
  const open = typeof file === 'function' ? file : () => file
  if (typeof file !== 'object' || Array.isArray(file)) await checkFile(parts, open(), () => {})
  const counts = noCounts()
  const keys: CheckedLine[] = []
  let batch: CheckedLine[] = []
  let isFirst = true

  async function flush(): Promise<void> {
    const lines = batch
    batch = []
    const results = await Promise.allSettled(lines.map(({ importLine }) => retry(() => importLine(counts))))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async function addLine(line: CheckedLine): Promise<void> {
    // Keys and revocations are kept for the longest lifetime of a token. So the lifetimes are stored first.
    if (isFirst) await begin(parts, line)
    isFirst = false
    if (line.is === SIGNING_KEYS) keys.push(line)
    else if (batch.push(line) === BATCH_SIZE) await flush()
  }

  let checked: CheckedFile
  try {
    checked = await checkFile(parts, open(), addLine)
  } finally {
    // If a line fails, the lines before it are still imported.
    await flush()
  }
  const erased = await retry(() => parts.eraseAgain())
  // If the keys changed during the export, the file has a second line with keys, which is imported after the first.
  for (const { importLine } of keys) await retry(() => importLine(counts))
  const { exportedAt } = checked.header
  const conflicts = [...counts.conflicts].toSorted()
  return { exportedAt, ...counts, erasedClients: erased?.clients ?? 0, conflicts, skipped: checked.skipped }
}

async function begin(parts: Sections, { header }: CheckedLine): Promise<void> {
  const { issuer } = await retry(parts.header)
  if (header.issuer !== issuer) {
    parts.logger.warn(
      { issuer },
      'a registry of another issuer is imported: access tokens of that issuer are rejected here',
    )
  }
  if (header.signingKeys && !parts.hasKeys) {
    parts.logger.warn(
      {},
      'a registry is imported without its signing keys, because the host manages the signing keys here: tokens that the missing keys signed are rejected',
    )
  }
  await parts.storeLifetimes(header.longestLifetimes)
}

interface CheckedLine {
  readonly is: string
  readonly header: Header
  readonly importLine: ImportLine
}

interface CheckedFile {
  readonly header: Header
  readonly skipped: readonly string[]
}

/** Checks a file line by line. Resolves if it is complete and its line counts are right. */
async function checkFile(
  parts: Sections,
  chunks: Chunks,
  onLine: (line: CheckedLine) => Promise<void> | void,
): Promise<CheckedFile> {
  const counted: Record<string, number> = {}
  let header: Header | undefined
  let skipped: readonly string[] | undefined
  for await (const line of readLines(chunks)) {
    if (header === undefined) {
      header = readHeader(line)
      continue
    }
    const { number } = line
    if (line.isCut && parseJson(line.text) === undefined) throw fileCutOff()
    const { is, ...fields } = readLine(line)
    if (skipped) throw lineRejected(number, 'comes after the line "end", which must be the last line')
    if (is === 'end') {
      skipped = readTrailer(number, fields, counted)
      continue
    }
    if (header.signingKeys && Object.keys(counted).length === 0 && is !== SIGNING_KEYS) {
      throw fileRejected(`line ${number} must have the signing keys`)
    }
    counted[is] = (counted[is] ?? 0) + 1
    const section = findSection(parts, number, is)
    const importLine = await retry(async () => section.parseLine(fields, number))
    await onLine({ is, header, importLine })
  }
  if (!header) throw fileRejected('it is empty')
  if (!skipped) throw fileCutOff()
  return { header, skipped }
}

function findSection({ sections }: Sections, number: number, kind: string): Section {
  const section = Object.values(sections).find(({ is }) => is === kind)
  if (section) return section
  throw lineRejected(number, 'is of a kind that this version of koa-gatehouse does not know')
}

/** Each delay is twice as long as the previous delay. */
const MAX_RETRIES = 6
const FIRST_RETRY_MS = 50

/** Retries while the store is unavailable, so that a short outage does not end the import. */
async function retry<T>(work: () => Promise<T>): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isStoreUnavailable(error) || retries === MAX_RETRIES) throw error
    }
    await delay(FIRST_RETRY_MS * 2 ** retries)
  }
}
