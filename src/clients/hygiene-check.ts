import { setTimeout as delay } from 'node:timers/promises'
import { inBackground } from '../async/in-background.ts'
import type { CurrentCatalog } from '../catalog/catalog.ts'
import type { HostAccounts } from '../host/host-accounts.ts'
import type { Logger } from '../host/logger.ts'
import { nameSome, pass, warn } from '../store/check-results.ts'
import type { Store, StoreCheck } from '../store/contract.ts'
import { CorruptRecord } from '../store/corrupt-record.ts'
import { isOversized, MAX_SCOPE_BYTES } from './client-products.ts'
import { clientRecords, type ClientRecord } from './client-record.ts'
import { readWithLastUse } from './client-repository.ts'
import type { KeyPolicy } from './expiry.ts'
import { createExamine, findingsOf, FINDINGS, type Finding } from './findings.ts'
import type { LastUses } from './last-used.ts'
import { createClientWalk } from './walk-clients.ts'

/** What `health()` can count: the clients with a finding, or the products that no client has. */
export type HealthFinding = Finding | 'unused-product'

export const HEALTH_FINDINGS = [...FINDINGS, 'unused-product'] as const satisfies readonly HealthFinding[]

/** The number of clients that are examined at the same time. The host is asked about their users. */
const BATCH = 25

/** Milliseconds between the end of a count and the next count. */
const INTERVAL_MS = 3_600_000

/** What each finding says about a number of clients. */
const WORDS: Readonly<Record<HealthFinding, string>> = {
  'known-to-former': 'known to a user who left the account',
  'breaks-policy': 'against the expiry policy',
  'expires-soon': 'about to expire',
  'old-secret': 'with a secret older than the policy',
  'two-secrets': 'with two secrets for more than 7 days',
  unused: 'not used for 90 days',
  'never-used': 'never used',
  'never-expires': 'without an expiry',
  'unused-product': 'products without an API key or application',
}

const OVERSIZED = `products have grown: tokens of these clients carry more than ${MAX_SCOPE_BYTES} bytes of scope, and proxies may reject them`
const FEWER = 'Remove operations from these clients, split them, or let them request fewer with `scope`'

/**
 * Counts in the background, once an hour, how many clients need attention, and finds the clients with too much scope.
 *
 * @param wanted the findings that are counted; if empty, no client is read for them
 */
export function createHygieneCheck(
  parts: {
    readonly store: Store
    readonly accounts: Pick<HostAccounts, 'find'>
    readonly catalog: CurrentCatalog
    readonly lastUses: LastUses
    readonly keyPolicy: KeyPolicy
    readonly logger: Logger
  },
  wanted: readonly HealthFinding[],
) {
  const { store, catalog, lastUses, keyPolicy, logger } = parts
  const records = clientRecords(store)
  const walk = createClientWalk(store, { load: (ids) => readWithLastUse(records, lastUses, ids) })
  const asksHost = wanted.includes('known-to-former')
  let counts: ReadonlyMap<HealthFinding, number> | undefined
  let hasFailed = false
  let scopes: readonly StoreCheck[] = []

  /** Finds the clients with too much scope, and returns their number. Reads clients only if the products are that large. */
  async function findOversized(pages = walk.pages(undefined)): Promise<number> {
    const { current } = catalog
    const found: string[] = []
    const isLarge = isOversized({ products: [...current.products.keys()], removedOperations: [] }, current)
    for await (const page of isLarge ? pages : []) {
      for (const record of page) {
        if (record instanceof CorruptRecord || !isOversized(record.client, current)) continue
        found.push(record.client.clientId)
      }
    }
    const clients = nameSome(found)
    scopes = found.length === 0 ? [] : [warn('client scopes', `${OVERSIZED}: ${clients}`, FEWER)]
    if (found.length > 0) logger.warn({ clients }, OVERSIZED)
    return found.length
  }

  async function count(signal: AbortSignal): Promise<void> {
    const found = new Map<HealthFinding, number>()
    const products = new Set(catalog.current.products.keys())
    for await (const page of walk.slowPages(signal)) {
      // `examine` remembers the users of the host, so each page gets a new one.
      const examine = createExamine(parts)
      const findings = async (record: ClientRecord) =>
        asksHost ? (await examine(record)).findings : findingsOf(record, keyPolicy)
      const read = page.flatMap((record) => (record instanceof CorruptRecord ? [] : [record]))
      for (let at = 0; at < read.length; at += BATCH) {
        signal.throwIfAborted()
        const examined = await Promise.all(read.slice(at, at + BATCH).map(findings))
        for (const finding of examined.flat()) found.set(finding, (found.get(finding) ?? 0) + 1)
      }
      for (const { client } of read) for (const product of client.products) products.delete(product)
    }
    counts = found.set('unused-product', products.size)
  }

  async function keepCounting(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await findOversized(walk.slowPages(signal))
        if (wanted.length > 0) await count(signal)
        hasFailed = false
      } catch (error) {
        if (signal.aborted) return
        hasFailed = true
        logger.warn({ err: error }, 'the clients could not be counted; trying again in an hour')
      }
      await delay(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  return {
    findOversized,
    /** Names the clients that `findOversized` has found. */
    checkScopes: () => scopes,
    /** The result of the last count. None before the first count has ended. */
    check(): StoreCheck[] {
      const name = 'clients'
      if (hasFailed) {
        const message = 'the API keys and applications could not be counted; the next attempt is in an hour'
        return [warn(name, message, 'The log has the reason: the store, or accounts.find')]
      }
      if (!counts) return []
      const present = wanted.flatMap((finding) => {
        const number = counts?.get(finding) ?? 0
        return number === 0 ? [] : [`${number} ${WORDS[finding]}`]
      })
      if (present.length === 0) return [pass(name, 'no API key or application needs attention')]
      return [
        warn(
          name,
          `API keys and applications need attention: ${present.join(', ')}`,
          'Open the page “Needs attention” of the operators in the console, or call gatehouse.hygiene.list()',
        ),
      ]
    },
    /** Starts the counts. @returns a function that stops them */
    start(): () => void {
      const stop = new AbortController()
      inBackground(() => keepCounting(stop.signal))
      return () => stop.abort()
    },
  }
}
