import { setTimeout as delay } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { checkInput } from '../validation/check-input.ts'
import { booleanRule, optional } from '../validation/rules.ts'
import type { Counts } from './section.ts'
import {
  checkTrailer,
  endsInTheMiddle,
  skippedBy,
  readHeader,
  readLine,
  refused,
  requireFit,
  unfit,
  type Header,
  type Values,
} from './file-format.ts'
import type { Sections } from './sections.ts'
import { readLines, type Line } from './read-lines.ts'

import { SIGNING_KEYS, parseKeys } from './signing-keys.ts'

/** What came of an import. */
export interface ImportedRegistry {
  /** When the registry was exported, in epoch seconds. */
  readonly exportedAt: number
  /** API keys that are new here. */
  readonly apiKeys: number
  /** Applications that are new here. */
  readonly applications: number
  /** Ids of deleted clients that are taken here too from now on. */
  readonly deletedClients: number
  /** Clients of a registry of the host's of which more has been revoked than was known here. */
  readonly hostEpochs: number
  /** Signing keys that are new here. */
  readonly signingKeys: number
  /** Revocations that are in force here too from now on, or were before. */
  readonly revocations: number
  /** What was here already, as it stands in the file. */
  readonly unchanged: number
  /** Client ids of which the file says something else than the store. They stay as they are in the store. */
  readonly conflicts: readonly string[]
  /**
   * Keys, in the store that was exported, of records that could not be read then: what they stood for is not in the file,
   * such as the API key of `client:<id>`. Mostly none.
   */
  readonly skipped: readonly string[]
}

/** What of a file is imported. */
export interface ImportOptions {
  /**
   * Whether the signing keys of the file sign from now on. `false` leaves them out, so that tokens which they signed
   * stay invalid: for a backup, after the store was lost. @default true
   */
  readonly signingKeys?: boolean | undefined
}

/** Lines that are written at once. */
const BATCH = 100

/** How often a line is tried again while the store does not answer; each time after twice as long. */
const TRIES = 6
/** Milliseconds before the first time. */
const PAUSE = 50

/**
 * Puts into the store what stands in a file. Nothing that is there is overwritten, so that it can be done again, and
 * while tokens are issued.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with the number of the line, `ERR_SECRET_MISMATCH`,
 *   `ERR_REGISTRY_READ_ONLY`, `ERR_STORE_UNAVAILABLE`; and what `chunks` throws
 */
export async function importRegistry(
  hold: Sections,
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportedRegistry> {
  checkInput('the registry cannot be imported', options, { signingKeys: optional(booleanRule) })
  const keys = options.signingKeys === false ? undefined : hold.keys
  const counts = noCounts()
  const read: Record<string, number> = {}
  const sectionsByName = new Map(Object.values(hold.sections).map((sections) => [sections.is, sections]))
  let batch: ((counts: Counts) => Promise<void>)[] = []
  let header: Header | undefined
  let end: number | undefined
  let skipped: readonly string[] = []
  let isFirst = true

  async function flush(): Promise<void> {
    const under = batch
    batch = []
    const done = await Promise.allSettled(under.map((put) => again(() => put(counts))))
    for (const one of done) if (one.status === 'rejected') throw one.reason
  }

  /** Keys are joined before anything that comes after them, and opened before anything at all is written. */
  async function takeKeys(number: number, fields: Values): Promise<void> {
    await flush()
    if (!keys) return announce()
    const put = await parseKeys(keys, fields)
    if (!put) throw unfit(number, 'cannot be imported: it holds no signing keys')
    // A key is published for as long as what it signed lives: so that is known first.
    await announce()
    await put(counts)
  }

  async function announce(): Promise<void> {
    if (isFirst && header) await hold.announce(header.longestLifetimes)
    isFirst = false
  }

  async function take(line: Line): Promise<void> {
    const { is, ...fields } = readLine(line)
    if (end !== undefined) throw unfit(line.number, 'comes after its last line')
    if (is === 'end') {
      await flush()
      await announce()
      checkTrailer(line.number, fields, read)
      skipped = skippedBy(fields)
      end = line.number
      return
    }
    if (isFirst && header?.signingKeys && is !== SIGNING_KEYS) {
      throw refused(`line ${line.number} must have the signing keys`)
    }
    read[is] = (read[is] ?? 0) + 1
    if (is === SIGNING_KEYS) return takeKeys(line.number, fields)
    const sections = sectionsByName.get(is)
    if (!sections) throw unfit(line.number, 'is of a kind that this version of koa-gatehouse does not know')
    const parsedLine = sections.parseLine(fields)
    if (typeof parsedLine !== 'function') return requireFit(line.number, parsedLine.problems)
    await announce()
    batch.push(parsedLine)
    if (batch.length >= BATCH) await flush()
  }

  try {
    for await (const line of readLines(chunks)) {
      if (header) await takeUnlessCut(line, take)
      else header = await checkHeader(hold, line)
    }
  } finally {
    // What was read before something went wrong is imported.
    await flush()
  }
  if (!header) throw refused('it is empty')
  if (end === undefined) throw endsInTheMiddle()
  return { exportedAt: header.exportedAt, ...counts, conflicts: [...counts.conflicts].toSorted(), skipped }
}

/** What puts a line into the store may be called again: a store that is slow for a moment need not end an import. */
async function again(put: () => Promise<void>): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await put()
    } catch (error) {
      const isAway = error instanceof GatehouseError && error.code === 'ERR_STORE_UNAVAILABLE'
      if (!isAway || tried === TRIES) throw error
    }
    await delay(PAUSE * 2 ** tried)
  }
}

async function takeUnlessCut(line: Line, take: (line: Line) => Promise<void>): Promise<void> {
  if (line.isCut && !isWhole(line.text)) throw endsInTheMiddle()
  await take(line)
}

function isWhole(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Compares the file with who is to read it, before anything is written. */
async function checkHeader(hold: Sections, line: Line): Promise<Header> {
  const [header, own] = [readHeader(line), await hold.header()]
  if (header.clients === 'store' && own.clients === 'host') {
    throw new GatehouseError(
      'ERR_REGISTRY_READ_ONLY',
      'the registry was not imported: it has API keys and applications, and here the option "registry" is set, so they are kept by the host. Nothing was changed',
    )
  }
  if (header.clients === 'host' && own.clients === 'store') {
    throw refused(
      'it is of a gatehouse whose host keeps API keys and applications (option "registry"), and here the store does',
    )
  }
  if (header.issuer !== own.issuer) {
    hold.logger.warn(
      { issuer: own.issuer },
      'a registry of another issuer is imported: access tokens that were issued there are rejected here',
    )
  }
  if (header.signingKeys && !hold.keys) {
    hold.logger.warn(
      {},
      'a registry is imported without its signing keys, since the host keeps its own: tokens that they have signed are rejected',
    )
  }
  return header
}

/** What is counted, before anything was read. */
export function noCounts(): Counts {
  return {
    apiKeys: 0,
    applications: 0,
    deletedClients: 0,
    hostEpochs: 0,
    signingKeys: 0,
    revocations: 0,
    unchanged: 0,
    conflicts: new Set(),
  }
}
