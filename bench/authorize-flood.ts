/**
 * A flood of authorization requests from one address, 127.0.0.1, each as large as it may be, against a Redis of its own
 * with `maxmemory 256mb`, while somebody at another address, 127.0.0.2, signs in, refreshes, revokes a token and
 * disables an API key. Three times 20 seconds: with the options as they are; with no limit by address; and with none, and
 * a Redis that is nearly full already, where signing in is rejected too. Prints what Redis uses before and after, and
 * what was answered. Fails if anything else fails. Flood and host share this process, so that all is slower than it need be.
 * `node bench/authorize-flood.ts` (Node 22.18 or later), some 90 seconds.
 */
import { Agent, request, type RequestOptions } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../adapters/redis.ts'
import { createBrowser } from '../test/support/browser.ts'
import { freePort } from '../test/support/free-port.ts'
import { startRedis } from '../test/support/redis-server.ts'
import { round } from './figures.ts'
import { CALLBACK, SCOPES, startHost, type MeasuredHost } from './host.ts'

const SECONDS = 20
const CONNECTIONS = 32
/** Requests of a flood at most. */
const MOST = 200_000
const MAXMEMORY = 256 * 1024 * 1024
const [STRANGER, SOMEBODY] = ['127.0.0.1', '127.0.0.2']

const failures: string[] = []
const floods = {
  'as it is': {},
  'no limit by address': { maxPendingInteractions: 0 },
  'no limit, Redis at 89 %': { maxPendingInteractions: 0, used: 0.893 },
}
const table: Record<string, object> = {}
for (const [name, options] of Object.entries(floods)) table[name] = await measure(name, options)
console.table(table)
console.log(`Node ${process.version}; ${SECONDS} s each, ${CONNECTIONS} connections`)
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1

async function measure(
  name: string,
  { used, ...options }: { maxPendingInteractions?: number; used?: number },
): Promise<object> {
  const server = await startRedis({ args: ['--maxmemory', String(MAXMEMORY)] })
  const redis = new Redis(server.url, { maxRetriesPerRequest: null })
  const store = redisStore(redis)
  const host = await startHost({
    store,
    port: await freePort(),
    gatehouse: {
      storeTimeoutMs: 10_000,
      accounts: { find: (id) => ({ id }), authenticate: ({ identifier }) => ({ accountId: identifier }) },
      ...options,
    },
  })
  const { application, clientSecret } = await host.gatehouse.applications.create({
    accountId: 'acme',
    name: 'Ledger',
    products: ['invoices', 'payments'],
    redirectUris: [CALLBACK],
  })
  const credentials = { client_id: application.clientId, client_secret: clientSecret }
  const somebody = createSomebody(host, credentials)
  await somebody.signIn()
  if (used !== undefined) await replenish(redis, used)

  const before = await usedMegabytes(redis)
  const until = performance.now() + SECONDS * 1000
  const answers = flood(host, credentials.client_id, until)
  const work: Record<string, () => Promise<void>> = {
    refresh: somebody.refresh,
    revoke: somebody.revoke,
    disable: somebody.disable,
    'sign-in': somebody.signIn,
  }
  const times = new Map<string, number[]>(Object.keys(work).map((what) => [what, []]))
  const rejected = { signIns: 0 }
  while (performance.now() < until) {
    for (const [what, run] of Object.entries(work)) {
      const started = performance.now()
      try {
        await run()
        times.get(what)?.push(performance.now() - started)
      } catch (error) {
        // Where Redis is nearly full nothing new begins, wherever it comes from.
        if (what === 'sign-in' && used !== undefined) rejected.signIns += 1
        else failures.push(`${name}: ${what} failed: ${String(error)}`)
      }
    }
    await delay(100)
  }
  const counts = await answers
  const after = await usedMegabytes(redis)
  const interactions = await countInteractions(redis)
  const slowest = Math.max(...[...times.values()].flat())
  for (const [what, all] of times) {
    if (all.length === 0 && rejected.signIns === 0) failures.push(`${name}: no ${what} at all`)
  }
  if (used !== undefined && (counts.get(503) ?? 0) === 0) failures.push(`${name}: nothing was rejected`)
  if (after > (MAXMEMORY * 0.95) / 1e6) failures.push(`${name}: Redis is full`)

  await host.close()
  await store.close()
  redis.disconnect()
  await server.stop()
  return {
    'MB before': round(before),
    'MB after': round(after),
    'pending in Redis': interactions,
    'begun (303)': counts.get(303) ?? 0,
    '429': counts.get(429) ?? 0,
    '503': counts.get(503) ?? 0,
    other: [...counts].filter(([status]) => ![303, 429, 503].includes(status)).length,
    ...Object.fromEntries([...times].map(([what, all]) => [what, all.length])),
    'sign-ins rejected': rejected.signIns,
    'slowest, ms': Math.round(slowest),
  }
}

/** Answers by status. */
async function flood(host: MeasuredHost, clientId: string, until: number): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const counts = new Map<number, number>()
  const url = authorizationUrl(host, clientId, { state: 's'.repeat(2048), login_hint: 'l'.repeat(512) })
  let left = MOST
  const loop = async () => {
    while (performance.now() < until && left > 0) {
      left -= 1
      const { status } = await send(url, { agent, localAddress: STRANGER })
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  agent.destroy()
  return counts
}

/** A person, a developer and an operator at the other address. */
function createSomebody(host: MeasuredHost, client: { client_id: string; client_secret: string }) {
  const agent = new Agent({ keepAlive: true })
  const { gatehouse, issuer, origin } = host
  let refreshToken = ''

  const fetchFromThere = async (url: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const { method = 'GET', body, headers } = init
    const options = { agent, localAddress: SOMEBODY, method, headers: { ...(headers as object) } }
    const answer = await send(
      new URL(url instanceof Request ? url.url : url),
      options,
      body as string | undefined,
    )
    return new Response(answer.status === 303 ? null : answer.text, {
      status: answer.status,
      headers: answer.headers,
    })
  }
  async function token(parameters: Record<string, string>): Promise<Record<string, unknown>> {
    const body = new URLSearchParams({ ...client, ...parameters }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetchFromThere(`${issuer}/oauth2/token`, { method: 'POST', body, headers })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  return {
    async signIn() {
      const browser = createBrowser({ follow: [origin], fetch: fetchFromThere })
      let page = await browser.open(authorizationUrl(host, client.client_id))
      const change = { identifier: 'alice', password: 'any' }
      if (page.status === 200) page = await browser.submit(page, { action: /sign-in/, change })
      if (page.body.includes('value="approve"')) {
        page = await browser.submit(page, {
          action: /consent/,
          button: ['action', 'approve'],
          change: { scope: SCOPES.split(' ') },
        })
      }
      const code = page.url.searchParams.get('code')
      if (code === null) throw new Error(`${page.status} at ${page.url.pathname}`)
      refreshToken = String((await token({ grant_type: 'authorization_code', code }))['refresh_token'])
    },
    async refresh() {
      const answer = await token({ grant_type: 'refresh_token', refresh_token: refreshToken })
      refreshToken = String(answer['refresh_token'])
    },
    /** A leaked token: the operator revokes it, and the gateway rejects it. */
    async revoke() {
      const answer = await token({ grant_type: 'refresh_token', refresh_token: refreshToken })
      refreshToken = String(answer['refresh_token'])
      const leaked = String(answer['access_token'])
      await gatehouse.tokens.revoke(leaked)
      const call = { agent, localAddress: SOMEBODY, headers: { authorization: `Bearer ${leaked}` } }
      const { status } = await send(new URL(`${origin}/api/invoices/1`), call)
      if (status !== 401) throw new Error(`the revoked token is answered with ${status}`)
    },
    async disable() {
      const { apiKey } = await gatehouse.apiKeys.create({ accountId: 'acme', name: 'Export', products: [] })
      await gatehouse.apiKeys.disable(apiKey.clientId)
    },
  }
}

function authorizationUrl({ issuer }: MeasuredHost, clientId: string, more: Record<string, string> = {}) {
  const url = new URL(`${issuer}/oauth2/authorize`)
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    state: 'x',
    ...more,
  }
  url.search = new URLSearchParams(parameters).toString()
  return url
}

function send(
  url: URL,
  options: RequestOptions,
  body?: string,
): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options)
    outgoing.on('error', reject).on('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('error', reject).on('end', () => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(response.headersDistinct)) {
          for (const each of value ?? []) headers.append(name, each)
        }
        resolve({ status: response.statusCode ?? 0, headers, text })
      })
    })
    outgoing.end(body)
  })
}

/** Fills a share of the memory with what is somebody else's. */
async function replenish(redis: Redis, share: number): Promise<void> {
  const value = 'x'.repeat(100_000)
  for (let index = 0; (await usedMegabytes(redis)) * 1e6 < MAXMEMORY * share; index += 1) {
    await redis.set(`ballast:${index}`, value)
  }
}

async function usedMegabytes(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]) / 1e6
}

async function countInteractions(redis: Redis): Promise<number> {
  let count = 0
  for await (const keys of redis.scanStream({ match: '*interaction:*', count: 1000 })) {
    count += (keys as string[]).length
  }
  return count
}
