/** A process of a run: a service with its API, or an API whose gateway follows the revocations over HTTP. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import Koa from 'koa'
import { Pool } from 'pg'
import { postgresStore } from '../../adapters/postgres.ts'
import { redisStore } from '../../adapters/redis.ts'
import type { Question, Report } from '../../bench/processes.ts'
import { CALLBACK, products, startHost } from '../../bench/host.ts'
import { createGateway, type Gateway } from '../../src/gateway.ts'
import type { Gatehouse } from '../../src/gatehouse/gatehouse.ts'
import type { Store } from '../../src/store/contract.ts'
import type { Settings } from './history.ts'
import type { StoreAddress } from './stores.ts'

export interface HostOptions extends Settings {
  readonly port: number
  /** The port in the address of the issuer. */
  readonly servicePort: number
  readonly isReplicated: boolean
  /** The store of a service; undefined for an API that follows over HTTP. */
  readonly store?: StoreAddress | undefined
  /** For an API that follows over HTTP. */
  readonly follow?:
    | { readonly uri: string; readonly clientId: string; readonly clientSecret: string }
    | undefined
}

/** What a process can be asked. */
export interface Asks {
  createApplication: {
    about: { accountId: string; isPublic?: boolean }
    answer: { clientId: string; clientSecret?: string }
  }
  createKey: {
    about: { accountId: string; name: string; isResourceServer?: boolean }
    answer: { clientId: string; clientSecret: string }
  }
  change: { about: { clientId: string; name: string | null; actor?: string }; answer: null }
  read: { about: { clientId: string }; answer: string | null }
  revoke: {
    about: { accessToken: string; actor: string } | { clientId: string; actor: string }
    answer: null
  }
  /** Adds a member to an index of the store, or removes it, by a durable write. */
  putMember: { about: { member: string; isIn: boolean }; answer: null }
  hasMember: { about: { member: string }; answer: boolean }
  /** Milliseconds by which the clock is ahead from now on. */
  setClock: { about: number; answer: null }
  trail: { about: null; answer: { actor?: string; clientId?: string; count?: number }[] }
  /** Writes what waits, and closes. */
  close: { about: null; answer: null }
}

/** The answer to a question, or the code of the error. */
export type Answer<K extends keyof Asks> =
  | { readonly value: Asks[K]['answer'] }
  | { readonly error: string; readonly message: string }

/** An index that the library does not use. */
const INDEX = 'proof'
const options = JSON.parse(process.argv[2] ?? '') as HostOptions
let clockOffsetMs = 0
let store: Store | undefined
globalThis.Date = movableDate()
const report = (message: Report) => process.send?.(message)
const record = (details: object, message: string) => {
  const { err } = details as { err?: Error & { code?: string } }
  const cause = err?.cause instanceof Error ? `, because ${err.cause.message}` : ''
  report({ event: `${message}: ${err?.stack ?? err?.message ?? ''}${cause}` })
}
const logger = { debug() {}, info() {}, warn() {}, error: record }

const answers: {
  readonly [K in Exclude<keyof Asks, 'setClock'>]: (
    service: Gatehouse,
    about: Asks[K]['about'],
  ) => Promise<unknown>
} = {
  async createApplication({ applications }, { accountId, isPublic = false }) {
    const input = {
      accountId,
      name: 'Proof',
      products: Object.keys(products),
      redirectUris: [CALLBACK],
    }
    const { application, clientSecret } = isPublic
      ? await applications.create({ ...input, isPublic })
      : await applications.create(input)
    await applications.setFirstParty(application.clientId, true)
    return { clientId: application.clientId, clientSecret }
  },
  async createKey({ apiKeys }, { accountId, name, isResourceServer = false }) {
    const { apiKey, clientSecret } = await apiKeys.create({ accountId, name, products: ['invoices'] })
    if (isResourceServer) await apiKeys.setResourceServer(apiKey.clientId, true)
    return { clientId: apiKey.clientId, clientSecret }
  },
  async change({ apiKeys }, { clientId, name, actor }) {
    const by = actor === undefined ? {} : { actor }
    await (name === null ? apiKeys.delete(clientId, by) : apiKeys.update(clientId, { name }, by))
  },
  read: async ({ apiKeys }, { clientId }) => (await apiKeys.find(clientId))?.name,
  revoke: ({ tokens }, { actor, ...of }) =>
    'accessToken' in of ? tokens.revoke(of.accessToken, { actor }) : tokens.revokeAll(of, { actor }),
  async trail({ audit }) {
    const entries = []
    let cursor: string | undefined
    do {
      const page = await audit.list({ limit: 500, ...(cursor !== undefined && { cursor }) })
      // The creation of a key is no change of it.
      const changes = page.items.filter(({ name }) => name !== 'client.created')
      entries.push(...changes.map(({ actor, clientId, count }) => ({ actor, clientId, count })))
      cursor = page.cursor
    } while (cursor !== undefined)
    return entries
  },
  async putMember(_, { member, isIn }) {
    const durable = store?.durable ?? store
    await (isIn ? durable?.add(INDEX, member) : durable?.remove(INDEX, member))
  },
  async hasMember(_, { member }) {
    const found = await store?.range(INDEX, { after: member.slice(0, -1), limit: 100 })
    return found?.includes(member)
  },
  close: (service) => service.close(),
}

const gatehouse = options.store ? await startService(options.store) : await startApi()
process.on('message', ({ number, ask, about }: Question<keyof Asks>) => {
  void answer(ask, about as never).then(
    (value) => report({ number, value: { value: value ?? null } }),
    (error: { code?: string; message: string }) =>
      report({ number, value: { error: error.code ?? 'no code', message: error.message } }),
  )
})
report({ ready: true })

async function startService(address: StoreAddress): Promise<Gatehouse> {
  store = openStore(address)
  const host = await startHost({
    store,
    port: options.port,
    servicePort: options.servicePort,
    gatehouse: {
      refreshTokenGraceSeconds: options.graceSeconds,
      publicApplications: true,
      revocations: { pollIntervalSeconds: options.pollSeconds },
      storeTimeoutMs: 1000,
      logger,
    },
  })
  return host.gatehouse
}

function openStore(address: StoreAddress): Store {
  if (address.postgresUrl !== undefined) {
    const settings = { connectionTimeoutMillis: 1000, statement_timeout: 1000 }
    return postgresStore({ pool: new Pool({ connectionString: address.postgresUrl, ...settings }) })
  }
  const client = connect(address)
  client.on('error', () => {})
  const durability = options.isReplicated ? { durability: { replicas: 1, timeoutMs: 500 } } : undefined
  return redisStore(client, durability)
}

async function startApi(): Promise<undefined> {
  const { follow, servicePort, port, pollSeconds } = options
  if (!follow) throw new Error('an API needs the service that it follows')
  const origin = `http://127.0.0.1:${servicePort}`
  const gateway = createGateway({
    issuer: `${origin}/auth`,
    audience: `${origin}/api`,
    jwksUri: new URL('jwks', follow.uri).href,
    products,
    revocations: { ...follow, pollIntervalSeconds: pollSeconds },
    logger,
  })
  const app = new Koa()
  app.on('error', () => {})
  app.use(gateway.middleware())
  app.use((ctx) => {
    ctx.body = 'served'
  })
  const handle = app.callback()
  const server = createServer((incoming, response) => void handle(incoming, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  // An API that starts while its service is away waits, as a process that is started again and again.
  while (!(await isReady(gateway))) await delay(100)
}

async function isReady(gateway: Pick<Gateway, 'ready'>): Promise<boolean> {
  try {
    await gateway.ready()
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_NOT_READY') return false
    throw error
  }
}

/** Connects with the settings of docs/redis.md. */
function connect({ addresses, sentinelName, natMap = {} }: StoreAddress): Redis | Cluster {
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 500)
  const failFast = { enableOfflineQueue: false, maxRetriesPerRequest: 0, connectTimeout: 1000 }
  const [first] = addresses
  if (sentinelName !== undefined) {
    return new Redis({
      sentinels: [...addresses],
      name: sentinelName,
      natMap,
      failoverDetector: true,
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      retryStrategy,
      ...failFast,
    })
  }
  if (addresses.length === 1 && first) return new Redis({ ...first, retryStrategy, ...failFast })
  return new Cluster([...addresses], {
    natMap,
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: retryStrategy,
    redisOptions: { maxRetriesPerRequest: 0, connectTimeout: 1000 },
  })
}

async function answer(ask: keyof Asks, about: never): Promise<unknown> {
  if (ask === 'setClock') return void (clockOffsetMs = about as number)
  if (!gatehouse) throw new Error('an API answers only calls')
  return answers[ask](gatehouse, about)
}

/** A `Date` whose current time can be set. */
function movableDate(): DateConstructor {
  const realNow = Date.now
  const now = () => realNow() + clockOffsetMs
  return new Proxy(Date, {
    construct: (RealDate, args: []) =>
      Reflect.construct(RealDate, args.length === 0 ? [now()] : args) as Date,
    get: (RealDate, name) => (name === 'now' ? now : (Reflect.get(RealDate, name) as unknown)),
  })
}
