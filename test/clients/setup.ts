import { randomUUID } from 'node:crypto'
import { beforeEach } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { ProductDefinitions } from '../../src/catalog/definition.ts'
import { createEvents, type GatehouseEvents } from '../../src/host/events.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createApiKeys } from '../../src/clients/api-keys.ts'
import { createApplications } from '../../src/clients/applications.ts'
import { createClientTokens } from '../../src/clients/revoke-client-tokens.ts'
import { createClientRegistry } from '../../src/clients/client-registry.ts'
import { createIdempotency } from '../../src/clients/idempotency.ts'
import { createLastUses } from '../../src/clients/last-used.ts'
import type { Store } from '../../src/store/contract.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import { createRevocations } from '../../src/revocation/revoke-tokens.ts'
import { kycLevels, products, reports } from '../fixtures/products.ts'
import { auditOf } from '../audit/setup.ts'
import { commitsOf, finishersOf } from '../support/commits.ts'
import { describeEachStore } from '../support/stores.ts'

/** Makes `count` small products: `p0` with the operation `p0:use`, and so on. */
export function manyProducts(count: number): ProductDefinitions {
  const names = Array.from({ length: count }, (_, index) => `p${index}`)
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        title: name,
        operations: { [`${name}:use`]: { route: `GET /${name}` as const, title: `Use ${name}` } },
      },
    ]),
  )
}

/** Makes a product whose scopes take `bytes` bytes with the spaces between them. */
export function productOfBytes(name: string, bytes: number): ProductDefinitions {
  const lengths = Array.from({ length: Math.floor((bytes + 1) / 100) }, () => 99)
  lengths[0] = 99 + ((bytes + 1) % 100)
  const operations = lengths.map((length, index) => [
    `${name}:${index}:`.padEnd(length, 'x'),
    { route: `GET /${name}/${index}` as const, title: `Use ${index}` },
  ])
  return { [name]: { title: name, operations: Object.fromEntries(operations) } }
}

/**
 * A store that records its calls with their arguments. A method with an error in `faults` rejects with this
 * error.
 */
export function watched(store: Store) {
  const calls: { method: string; args: readonly unknown[] }[] = []
  const faults = new Map<string, Error>()
  const proxy = new Proxy(store, {
    get(target, method: keyof Store) {
      const value = target[method]
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        calls.push({ method, args })
        const fault = faults.get(method)
        return fault ? Promise.reject(fault) : Reflect.apply(value, target, args)
      }
    },
  })
  return { store: proxy, calls, faults }
}

interface ServicesOptions {
  definitions?: ProductDefinitions
  /** @default records the id in `changed` */
  clientChanged?: (clientId: string) => Promise<void>
  secretPrefix?: string
}

/** The services of one process on a store. */
export function services(
  store: Store,
  {
    definitions = { ...products, reports },
    clientChanged,
    secretPrefix = 'gatehouse_',
  }: ServicesOptions = {},
) {
  const catalog = { current: createCatalog(definitions, { kycLevels }) }
  const events = createEvents((error) => {
    throw error
  })
  const emitted: { event: string; [detail: string]: unknown }[] = []
  const names: (keyof GatehouseEvents)[] = [
    'client.created',
    'client.changed',
    'client.deleted',
    'client.compromised',
  ]
  for (const event of names) events.on(event, (details) => emitted.push({ event, ...details }))
  const lastUses = createLastUses({ store, logger: silentLogger })
  const secretUses = createLastUses({ store, logger: silentLogger }, 'secret-usage')
  const revoked: GatehouseEvents['token.revoked'][] = []
  events.on('token.revoked', (event) => revoked.push(event))
  const set = createRevocationSet()
  const log = createRevocationLog(store)
  const longestLifetime = createLongestLifetime(store, 864_000)
  const longestDelegatedLifetime = createLongestLifetime(store, 3600, 'longest-delegated-access-token')
  const revocations = createRevocations({ log, set, longestLifetime, events })
  const changed: string[] = []
  const audit = auditOf(store)
  const commits = commitsOf(store, { audit, revocations, events })
  const dependencies = {
    commits,
    store,
    catalog,
    resources: { find: () => undefined },
    accounts: { find: async (id: string) => ({ id }) },
    events,
    lastUses,
    revocations,
    longestLifetime,
    longestDelegatedLifetime,
    clientChanged: clientChanged ?? (async (clientId: string) => void changed.push(clientId)),
    logger: silentLogger,
    maxClientsPerAccount: 500,
    keyPolicy: {},
    secretPrefix,
    secretUses,
    idempotency: createIdempotency(store, [Buffer.alloc(32, 1)], secretPrefix),
    loadPublicKeys: () => import('../../src/clients/public-keys.ts'),
    publicApplications: true,
  }
  const clientTokens = createClientTokens(dependencies)
  return {
    audit,
    commits,
    catalog,
    emitted,
    lastUses,
    dependencies: { ...dependencies, oidcScopes: ['openid', 'profile', 'email'] },
    loadPublicKeys: dependencies.loadPublicKeys,
    apiKeys: createApiKeys(dependencies),
    applications: createApplications({ ...dependencies, oidcScopes: ['openid', 'profile', 'email'] }),
    registry: createClientRegistry(store),
    clientTokens,
    revocations,
    log,
    /** The ids of the clients about whose changes the other processes were notified. */
    changed,
    /** Waits for what follows the changes of this process in the background. */
    async settled() {
      await commits.start(finishersOf(clientTokens.revocationsOf))()
      await audit.settled()
    },
    /** The revocations that this process knows. */
    set,
    /** The events `token.revoked`. */
    revoked,
  }
}

/** The stores of a suite. Each call of `open()` returns a store for another process on the same data. */
export interface Stores {
  open(): Store
}

/** Runs a suite on each kind of store that `TEST_STORES` names, with an empty store for each test. */
export function describeOnEachStore(name: string, suite: (stores: Stores) => void): void {
  describeEachStore(name, (makeStore) => {
    let data: string
    beforeEach(() => {
      data = randomUUID()
    })
    suite({ open: () => makeStore(data) })
  })
}
