/**
 * koa-gatehouse as its README shows it: the token service and the gateway, both mounted in one Koa app. The comparison
 * is fair because it keeps all defaults: revocations are checked, the scope of the operation is checked, and the
 * cache has its usual size.
 */
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { createGatehouse, type Gatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { authorize, signedIn } from '../authorize.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { forEach } from '../in-parallel.ts'
import { options, servePeer } from '../peer.ts'
import { ITEM_SCOPE, itemProducts } from '../tokens.ts'

const DAY_SECONDS = 86_400
const CALLBACK = 'https://app.example/callback'

const { issuer, audience, keys, redisPort, keyPrefix = 'gatehouse:' } = options
const redis = redisPort === undefined ? undefined : new Redis(redisPort)
const store = redis ? redisStore(redis, { keyPrefix }) : memoryStore()
if (options.revocations) await storeRevocations(options.revocations)

const gatehouse: Gatehouse = createGatehouse({
  issuer,
  audience,
  secret: 'a secret for measurements, long enough to be one',
  store,
  products: itemProducts(options.operations ?? 10),
  signingKeys: { jwks: { keys } },
  accounts: {
    find: (id) => ({ id }),
    current: signedIn,
    signInUrl: () => '/sign-in',
  },
  // The store is busy while the bench fills it.
  storeTimeoutMs: 20_000,
  maxCachedTokens: options.cachesTokens === false ? 0 : undefined,
})
const app = new Koa()
app.use(gatehouse.middleware())
app.use(gatehouse.gateway.middleware())
app.use((ctx) => void (ctx.body = { ok: true }))
await gatehouse.ready({ timeoutMs: 20_000 })

const handle = app.callback()
await servePeer((request, response) => void handle(request, response), {
  async forms() {
    // In Node 20, a process is slower after oidc-provider has answered its first request.
    await createGrants(1)
    return forEach(options.clients ?? 0, createClient)
  },
  refreshForms: () => createGrants(options.grants ?? 0),
  async close() {
    await gatehouse.close()
    await store.close()
    redis?.disconnect()
  },
})

async function createClient(index: number): Promise<string> {
  const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
    accountId: `developer-${index % 10_000}`,
    name: 'Nightly export',
    products: ['items-0'],
  })
  return `grant_type=client_credentials&client_id=${apiKey.clientId}&client_secret=${clientSecret}`
}

/** Runs the authorization code flow of a first-party application for each grant. */
async function createGrants(count: number): Promise<string[]> {
  const { application, clientSecret } = await gatehouse.applications.create({
    accountId: 'acme',
    name: 'Ledger',
    products: ['items-0'],
    redirectUris: [CALLBACK],
  })
  await gatehouse.applications.setFirstParty(application.clientId, true)
  const client = `client_id=${application.clientId}&client_secret=${clientSecret}`
  return forEach(count, async (index) => {
    const code = await authorize({
      issuer,
      clientId: application.clientId,
      redirectUri: CALLBACK,
      scope: options.openId ? `openid ${ITEM_SCOPE}` : ITEM_SCOPE,
      accountId: `user-${index}`,
    })
    const response = await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams(`grant_type=authorization_code&code=${code}&${client}`),
    })
    const { refresh_token: token } = (await response.json()) as { refresh_token: string }
    return `grant_type=refresh_token&${client}&refresh_token=${token}`
  })
}

/** Stores revocations of tokens as if another process had stored them an hour ago. */
async function storeRevocations(count: number): Promise<void> {
  const log = createRevocationLog(store, { now: () => Date.now() - 3_600_000 })
  const until = Math.floor(Date.now() / 1000) + DAY_SECONDS
  const all = Array.from({ length: count }, () => {
    return { of: 'token', id: randomBytes(16).toString('base64url'), until } as const
  })
  for (let start = 0; start < count; start += 10_000) await log.add(all.slice(start, start + 10_000))
}
