import { setTimeout as delay } from 'node:timers/promises'
import { inBackground } from '../async/in-background.ts'
import { periodically } from '../async/periodically.ts'
import { nameSome, warn } from '../store/check-results.ts'
import type { StoreCheck } from '../store/contract.ts'
import { isOversized, MAX_SCOPE_BYTES } from './client-products.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { createClientLists } from './client-index.ts'

const INTERVAL_MS = 3_600_000

/** Of the time that a page of clients takes. */
const PAUSE_FACTOR = 29

const OVERSIZED = `products have grown: tokens of these clients carry more than ${MAX_SCOPE_BYTES} bytes of scope, and proxies may reject them`
const FEWER = 'Remove operations from these clients, split them, or let them request fewer with `scope`'

/** Finds the clients with too much scope, in the background once an hour. */
export function createScopeLimitCheck(parts: Pick<ClientsDependencies, 'store' | 'catalog' | 'logger'>) {
  const { store, catalog, logger } = parts
  const lists = createClientLists(store)
  let checks: readonly StoreCheck[] = []

  /** With pauses, because token requests need the store. @throws the reason of `signal` */
  async function* slowPages(signal: AbortSignal) {
    let began = performance.now()
    for await (const page of lists.pages(undefined)) {
      signal.throwIfAborted()
      yield page
      const pause = page.cursor === undefined ? 0 : PAUSE_FACTOR * (performance.now() - began)
      if (pause > 0) await delay(pause, undefined, { signal, ref: false })
      began = performance.now()
    }
  }

  /** Reads clients only if the products are that large. */
  async function findOversized(pages = lists.pages(undefined)): Promise<number> {
    const { current } = catalog
    const found: string[] = []
    const isLarge = isOversized({ products: [...current.products.keys()], removedOperations: [] }, current)
    for await (const { items } of isLarge ? pages : []) {
      for (const { client } of items) if (isOversized(client, current)) found.push(client.clientId)
    }
    const clients = nameSome(found)
    checks = found.length === 0 ? [] : [warn('client scopes', `${OVERSIZED}: ${clients}`, FEWER)]
    if (found.length > 0) logger.warn({ clients }, OVERSIZED)
    return found.length
  }

  return {
    findOversized,
    check: () => checks,
    /** @returns a function that stops the searches */
    start(): () => void {
      const stop = new AbortController()
      const search = () =>
        findOversized(slowPages(stop.signal)).catch((error: unknown) => {
          if (stop.signal.aborted) return
          logger.warn(
            { err: error },
            'the clients with too much scope could not be found; trying again within an hour',
          )
        })
      inBackground(search)
      const end = periodically(search, INTERVAL_MS)
      return () => {
        stop.abort()
        end()
      }
    },
  }
}
