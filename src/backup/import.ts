import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import { checkInput } from '../validation/check-input.ts'
import { booleanRule, optional } from '../validation/rules.ts'
import { noCounts, type Counts } from './section.ts'
import {
  checkTrailer,
  fileCutOff,
  skippedBy,
  readHeader,
  readLine,
  fileRejected,
  rejectProblems,
  lineRejected,
  type Header,
  type Values,
} from './file-format.ts'
import type { Sections } from './sections.ts'
import { readLines, type Line } from './read-lines.ts'
import { SIGNING_KEYS, parseKeys } from './signing-keys.ts'

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
  /** The number of clients of the host's registry whose epoch offset rose. */
  readonly hostEpochs: number
  /** The number of imported signing keys; 0 if the store had the same keys already. */
  readonly signingKeys: number
  /** The number of revocations in the file that are still in force. */
  readonly revocations: number
  /** The number of lines that changed nothing. */
  readonly unchanged: number
  /**
   * The ids of clients that exist in this store and differ from the file. The import did not change these
   * clients.
   */
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

/** The number of lines that are imported at once. */
const BATCH_SIZE = 100

/**
 * How often a line is retried while the store is unavailable. Each delay is twice as long as the previous
 * delay.
 */
const MAX_RETRIES = 6
const FIRST_RETRY_MS = 50

type ImportLine = (counts: Counts) => Promise<void>

/** The state of one import. */
interface ImportState {
  readonly parts: Sections
  readonly importsKeys: boolean
  readonly counts: Counts
  /** The number of lines of each kind that were read so far. */
  readonly lines: Record<string, number>
  /** Parsed lines that are not imported yet. */
  batch: ImportLine[]
  header: Header | undefined
  /** Whether the lifetimes of the header are stored. Nothing is imported before they are stored. */
  hasStoredLifetimes: boolean
  isComplete: boolean
  skipped: readonly string[]
}

/**
 * Imports a file into the store. The import changes no existing client and lowers no epoch, so it can be
 * repeated.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with the number of the line; `ERR_SECRET_MISMATCH` if no
 *   configured secret decrypts the signing keys; `ERR_CONFLICT` if the store has signing keys of its own;
 *   `ERR_REGISTRY_READ_ONLY` if the file contains clients, but the host manages the clients here;
 *   `ERR_STORE_UNAVAILABLE`: import the file again; and what `chunks` throws
 */
export async function importRegistry(
  parts: Sections,
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedRegistry> {
  checkInput('the registry cannot be imported', options, { signingKeys: optional(booleanRule) })
  const state: ImportState = {
    parts,
    importsKeys: options.signingKeys !== false,
    counts: noCounts(),
    lines: {},
    batch: [],
    header: undefined,
    hasStoredLifetimes: false,
    isComplete: false,
    skipped: [],
  }
  try {
    for await (const line of readLines(chunks)) {
      if (state.header === undefined) state.header = await checkHeader(parts, line)
      else await importLine(state, state.header, line)
    }
  } finally {
    // If a line fails, the lines before it are still imported.
    await flush(state)
  }
  const { header, counts, skipped } = state
  if (!header) throw fileRejected('it is empty')
  if (!state.isComplete) throw fileCutOff()
  return { exportedAt: header.exportedAt, ...counts, conflicts: [...counts.conflicts].toSorted(), skipped }
}

async function importLine(state: ImportState, header: Header, line: Line): Promise<void> {
  const { lines, parts } = state
  if (line.isCut && !isJson(line.text)) throw fileCutOff()
  const { is, ...fields } = readLine(line)
  if (state.isComplete)
    throw lineRejected(line.number, 'comes after the line "end", which must be the last line')
  if (is === 'end') {
    await flush(state)
    await storeLifetimes(state, header)
    checkTrailer(line.number, fields, lines)
    state.skipped = skippedBy(fields)
    state.isComplete = true
    return
  }
  if (!state.hasStoredLifetimes && header.signingKeys && is !== SIGNING_KEYS) {
    throw fileRejected(`line ${line.number} must have the signing keys`)
  }
  lines[is] = (lines[is] ?? 0) + 1
  if (is === SIGNING_KEYS) return importKeys(state, header, line.number, fields)
  const section = Object.values(parts.sections).find((candidate) => candidate.is === is)
  if (!section)
    throw lineRejected(line.number, 'is of a kind that this version of koa-gatehouse does not know')
  const parsed = section.parseLine(fields)
  if (typeof parsed !== 'function') return rejectProblems(line.number, parsed.problems)
  await storeLifetimes(state, header)
  state.batch.push(parsed)
  if (state.batch.length >= BATCH_SIZE) await flush(state)
}

/**
 * Imports a line with signing keys. The line after the header contains the signing keys. So the keys are
 * decrypted before anything is written, and are imported first. If the keys changed during the export, the
 * file has a second line with signing keys near its end.
 */
async function importKeys(state: ImportState, header: Header, number: number, fields: Values): Promise<void> {
  const { keys } = state.parts
  await flush(state)
  if (!keys || !state.importsKeys) return storeLifetimes(state, header)
  const importRing = await retry(() => parseKeys(keys, fields))
  if (!importRing) throw lineRejected(number, 'cannot be imported: it contains no signing keys')
  // A key stays published for the longest lifetime of its tokens. So the lifetimes must be stored before the
  // keys are.
  await storeLifetimes(state, header)
  await retry(() => importRing(state.counts))
}

async function storeLifetimes(state: ImportState, header: Header): Promise<void> {
  if (!state.hasStoredLifetimes) await state.parts.storeLifetimes(header.longestLifetimes)
  state.hasStoredLifetimes = true
}

async function flush(state: ImportState): Promise<void> {
  const { batch, counts } = state
  state.batch = []
  const results = await Promise.allSettled(batch.map((importOne) => retry(() => importOne(counts))))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

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

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Reads the header and compares it with this gatehouse, before anything is written. */
async function checkHeader(parts: Sections, line: Line): Promise<Header> {
  const header = readHeader(line)
  const own = await retry(parts.header)
  if (header.clients === 'store' && own.clients === 'host') {
    throw new GatehouseError(
      'ERR_REGISTRY_READ_ONLY',
      'the registry was not imported: it has API keys and applications, and here the host manages them (option "registry"). Nothing was changed',
    )
  }
  if (header.clients === 'host' && own.clients === 'store') {
    throw fileRejected(
      'it is from a gatehouse whose host manages API keys and applications (option "registry"), and here the store keeps them',
    )
  }
  if (header.issuer !== own.issuer) {
    parts.logger.warn(
      { issuer: own.issuer },
      'a registry of another issuer is imported: access tokens of that issuer are rejected here',
    )
  }
  if (header.signingKeys && !parts.keys) {
    parts.logger.warn(
      {},
      'a registry is imported without its signing keys, because the host manages the signing keys here: tokens that the missing keys signed are rejected',
    )
  }
  return header
}
