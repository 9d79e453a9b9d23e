/**
 * One process of `rotation.ts` and `rotation-crash.ts`: an authorization service with its gateway, or a gateway
 * alone.
 */
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../../adapters/redis.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import { createGateway } from '../../src/gateway.ts'
import type { Store } from '../../src/store/contract.ts'
import { signedIn } from '../../bench/authorize.ts'
import type { Question, Report } from '../../bench/processes.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly redisUrl: string
  /** The port of this process, and the port of the authorization service. */
  readonly port: number
  readonly servicePort: number
  readonly role: 'service' | 'gateway'
  readonly rotateAfterSeconds?: number | undefined
  /**
   * When the process kills itself: before or after the ring is written, or after other processes were notified.
   */
  readonly crashAt?: 'before writing' | 'after writing' | 'after publishing' | undefined
}

/** A change of a signing key that the process reports. */
export interface KeyChange {
  readonly name: string
  readonly kid: string
  readonly alg: string
  readonly at: number
}

/** Questions to a process. */
export type Ask = 'clients' | 'rotate' | 'revoke'

/** An API key and an application. */
export interface Clients {
  readonly key: { readonly client_id: string; readonly client_secret: string }
  readonly application: { readonly client_id: string; readonly client_secret: string }
}

const {
  redisUrl,
  port,
  servicePort,
  role,
  rotateAfterSeconds = 3600,
  crashAt,
} = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const issuer = `http://localhost:${servicePort}/auth`
const audience = `http://localhost:${servicePort}/api`
const products = {
  invoices: {
    title: 'Invoices',
    operations: { 'invoices:read': { route: 'GET /invoices/:id', title: 'Read invoices' } },
  },
} as const
const report = (message: Report<KeyChange>) => process.send?.(message)

const app = new Koa()
const ready = role === 'gateway' ? gatewayAlone() : service()
app.use((ctx) => void (ctx.body = 'served'))
const handle = app.callback()
const server = createServer((incoming, response) => void handle(incoming, response))
await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
await ready()
report({ ready: true })

function gatewayAlone(): () => Promise<void> {
  // A gateway fetches unknown keys at most once in 30 seconds. The keys of a run change every two seconds, so the clock
  // of this gateway is 30 times as fast.
  const { now } = Date
  const startedAt = now()
  Date.now = () => startedAt + 30 * (now() - startedAt)
  const gateway = createGateway({ issuer, audience, products, jwksCacheSeconds: 30 })
  app.use(gateway.middleware())
  return () => gateway.ready()
}

function service(): () => Promise<void> {
  const gatehouse = createGatehouse({
    issuer,
    audience,
    secret: 'a secret for measurements, long enough to be one',
    store: crashing(redisStore(new Redis(redisUrl))),
    products,
    signingKeys: { rotateAfterSeconds, publishAheadSeconds: 1 },
    accounts: {
      find: (id) => ({ id }),
      current: signedIn,
      signInUrl: () => '/sign-in',
    },
  })
  for (const name of ['key.published', 'key.activated', 'key.retired'] as const) {
    gatehouse.on(name, ({ kid, alg }) => report({ event: { name, kid, alg, at: Date.now() } }))
  }
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
  process.on('message', ({ number, ask, about }: Question<Ask>) => {
    void answer(ask, about).then((value) => report({ number, value }))
  })
  return () => gatehouse.ready()

  async function answer(ask: Ask, about: unknown): Promise<unknown> {
    if (ask === 'rotate') return gatehouse.signingKeys.rotate()
    if (ask === 'revoke') return gatehouse.signingKeys.revoke(String(about))
    const common = { accountId: 'acme', name: 'Measured', products: ['invoices'] } as const
    const one = await gatehouse.apiKeys.create(common)
    const redirectUris = ['https://app.example/callback']
    const other = await gatehouse.applications.create({ ...common, redirectUris })
    await gatehouse.applications.setFirstParty(other.application.clientId, true)
    return {
      key: { client_id: one.apiKey.clientId, client_secret: one.clientSecret },
      application: { client_id: other.application.clientId, client_secret: other.clientSecret },
    } satisfies Clients
  }
}

function crashing(store: Store): Store {
  const crash = () => process.kill(process.pid, 'SIGKILL')
  return {
    ...store,
    async replace(key, ...rest) {
      const isRing = key === 'signing-keys:ring'
      if (isRing && crashAt === 'before writing') crash()
      const isReplaced = await store.replace(key, ...rest)
      if (isRing && isReplaced && crashAt === 'after writing') crash()
      return isReplaced
    },
    async publish(channel, message) {
      await store.publish(channel, message)
      if (channel === 'signing-keys' && crashAt === 'after publishing') crash()
    },
  }
}
