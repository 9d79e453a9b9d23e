/** One process of `revocation-latency.ts`: an authorization service with its gateway, or a gateway alone. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { authorize, signedIn } from './authorize.ts'
import { redisStore } from '../adapters/redis.ts'
import { createGatehouse } from '../src/gatehouse/create-gatehouse.ts'
import type { Gatehouse } from '../src/gatehouse/gatehouse.ts'
import { createGateway, type Gateway } from '../src/gateway.ts'
import type { RevocationFeed } from '../src/options/gateway-options.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly redisUrl: string
  /** The port of this process, and the port of the authorization service. */
  readonly port: number
  readonly servicePort: number
  readonly pollIntervalSeconds: number
  /**
   * A `service` is an authorization service. The role `without-messages` is a service that receives no
   * messages. A `gateway` is a gateway that polls over HTTP.
   */
  readonly role: 'service' | 'without-messages' | 'gateway'
  readonly credentials?: { readonly clientId: string; readonly clientSecret: string } | undefined
}

/** A target to revoke, and a token that is revoked with the target. */
export interface Target {
  readonly kind: Kind
  readonly id: string
  readonly token: string
}
type Kind = 'token' | 'grant' | 'client'

/** A question of the parent process. The answer has the same number. */
export type Question = { readonly number: number } & (
  | { readonly ask: 'targets'; readonly kind: Kind; readonly count: number }
  | { readonly ask: 'revoke'; readonly target: Target }
  | { readonly ask: 'resourceServer' }
)

const CALLBACK = 'https://app.example/callback'
const { redisUrl, port, servicePort, pollIntervalSeconds, role, credentials } = JSON.parse(
  process.argv[2] ?? '',
) as ProcessOptions
const issuer = `http://localhost:${servicePort}/auth`
const audience = `http://localhost:${servicePort}/api`
const products = {
  invoices: {
    title: 'Invoices',
    operations: { 'invoices:read': { route: 'GET /invoices/:id', title: 'Read invoices' } },
  },
} as const

const app = new Koa()
const gateway = role === 'gateway' ? gatewayAlone() : service()
app.use((ctx) => void (ctx.body = 'served'))
const handle = app.callback()
const server = createServer((incoming, response) => void handle(incoming, response))
// This is longer than any measurement, so that no connection closes while a request arrives.
server.keepAliveTimeout = 300_000
await new Promise<void>((resolve) => void server.listen(port, resolve))
await gateway.ready()
process.send?.({ ready: (server.address() as AddressInfo).port })

function gatewayAlone(): Gateway {
  const revocations = { ...credentials, pollIntervalSeconds } as RevocationFeed & {
    pollIntervalSeconds: number
  }
  const made = createGateway({ issuer, audience, products, revocations })
  app.use(made.middleware())
  return made
}

function service(): Pick<Gateway, 'ready'> {
  const store = redisStore(new Redis(redisUrl))
  const gatehouse = createGatehouse({
    issuer,
    audience,
    secret: 'a secret for measurements, long enough to be one',
    store: role === 'without-messages' ? { ...store, subscribe: async () => async () => {} } : store,
    products,
    revocations: { pollIntervalSeconds },
    accounts: {
      find: (id) => ({ id }),
      current: signedIn,
      signInUrl: () => '/sign-in',
    },
  })
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
  process.on('message', (question: Question) => {
    void answer(gatehouse, question).then((value) => process.send?.({ number: question.number, value }))
  })
  return { ready: () => gatehouse.ready() }
}

async function answer(gatehouse: Gatehouse, question: Question): Promise<unknown> {
  if (question.ask === 'targets') return makeTargets(gatehouse, question.kind, question.count)
  if (question.ask === 'resourceServer') {
    const { apiKey, clientSecret } = await createKey(gatehouse)
    await gatehouse.apiKeys.setResourceServer(apiKey.clientId, true)
    return { clientId: apiKey.clientId, clientSecret }
  }
  const { kind, id, token } = question.target
  if (kind === 'token') await gatehouse.tokens.revoke(token)
  else if (kind === 'grant') await gatehouse.grants.revoke(id)
  else await gatehouse.apiKeys.disable(id)
  return undefined
}

const createKey = (gatehouse: Gatehouse) =>
  gatehouse.apiKeys.create({ accountId: 'acme', name: 'Measured', products: ['invoices'] })

async function makeTargets(gatehouse: Gatehouse, kind: Kind, count: number): Promise<Target[]> {
  const targets: Target[] = []
  if (kind === 'grant') {
    const { application, clientSecret } = await gatehouse.applications.create({
      accountId: 'acme',
      name: 'Measured',
      products: ['invoices'],
      redirectUris: [CALLBACK],
    })
    await gatehouse.applications.setFirstParty(application.clientId, true)
    for (let i = 0; i < count; i += 1) {
      const code = await authorize({
        issuer,
        clientId: application.clientId,
        redirectUri: CALLBACK,
        scope: 'invoices:read',
        accountId: `user-${i}`,
      })
      const token = await requestToken(application.clientId, clientSecret, {
        grant_type: 'authorization_code',
        code,
      })
      targets.push({ kind, id: claimsOf(token).grant_id, token })
    }
    return targets
  }
  let key = await createKey(gatehouse)
  for (let i = 0; i < count; i += 1) {
    if (kind === 'client') key = await createKey(gatehouse)
    const token = await requestToken(key.apiKey.clientId, key.clientSecret, {
      grant_type: 'client_credentials',
    })
    targets.push({ kind, id: key.apiKey.clientId, token })
  }
  return targets
}

async function requestToken(clientId: string, clientSecret: string, parameters: Record<string, string>) {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...parameters })
  const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
  if (!response.ok) throw new Error(`no token: ${await response.text()}`)
  return ((await response.json()) as { access_token: string }).access_token
}

function claimsOf(token: string): { grant_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { grant_id: string }
}
