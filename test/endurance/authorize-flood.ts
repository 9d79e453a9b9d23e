/**
 * Floods the authorization endpoint from one address, 127.0.0.1, with requests of the largest size. Redis has
 * `maxmemory 256mb`. At the same time, a user at 127.0.0.2 signs in and refreshes, an operator revokes a token, and
 * a developer disables an API key.
 *
 * Each of the three runs takes 20 seconds. The first run has the default options. The second run does
 * not limit the pending requests of one address. The third run has no such limit, and a Redis that is nearly full, so
 * sign-ins are rejected. Prints the memory of Redis before and after each run, and the number of responses by status.
 * The test fails if an action at 127.0.0.2 fails, except for the sign-ins of the third run. The flood
 * and the host share one process, so all actions are slower than in production.
 */
import { Agent, request, type RequestOptions } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { createBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { round } from '../../bench/figures.ts'
import { CALLBACK, SCOPES, startHost, type MeasuredHost } from '../../bench/host.ts'

const RUN_SECONDS = 20
const CONNECTIONS = 32
/** The maximum number of requests in one flood. */
const MAX_REQUESTS = 200_000
const MAXMEMORY_BYTES = 256 * 1024 * 1024
const [FLOOD_ADDRESS, USER_ADDRESS] = ['127.0.0.1', '127.0.0.2']

const failures: string[] = []
const floods = {
  'default options': {},
  'no limit by address': { maxPendingInteractions: 0 },
  'no limit, Redis at 89 %': { maxPendingInteractions: 0, used: 0.893 },
}
const table: Record<string, object> = {}
for (const [name, options] of Object.entries(floods)) table[name] = await measure(name, options)
console.table(table)
console.log(`Node ${process.version}; ${RUN_SECONDS} s each, ${CONNECTIONS} connections`)
for (const failure of failures) console.error(failure)
process.exitCode = failures.length === 0 ? 0 : 1

async function measure(
  name: string,
  { used, ...options }: { maxPendingInteractions?: number; used?: number },
): Promise<object> {
  const server = await startRedis({ args: ['--maxmemory', String(MAXMEMORY_BYTES)] })
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
  const user = createUser(host, credentials)
  await user.signIn()
  if (used !== undefined) await fillMemory(redis, used)

  const before = await usedMegabytes(redis)
  const until = performance.now() + RUN_SECONDS * 1000
  const answers = flood(host, credentials.client_id, until)
  const work: Record<string, () => Promise<void>> = {
    refresh: user.refresh,
    revoke: user.revoke,
    disable: user.disable,
    'sign-in': user.signIn,
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
        // While Redis is nearly full, gatehouse starts no new authorization, whatever the address.
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
    if (all.length === 0 && rejected.signIns === 0) failures.push(`${name}: no successful ${what}`)
  }
  if (used !== undefined && (counts.get(503) ?? 0) === 0)
    failures.push(`${name}: no request was answered 503`)
  if (after > (MAXMEMORY_BYTES * 0.95) / 1e6) failures.push(`${name}: Redis is full`)

  await host.close()
  await store.close()
  redis.disconnect()
  await server.stop()
  return {
    'MB before': round(before),
    'MB after': round(after),
    'pending in Redis': interactions,
    'started (303)': counts.get(303) ?? 0,
    '429': counts.get(429) ?? 0,
    '503': counts.get(503) ?? 0,
    other: [...counts].filter(([status]) => ![303, 429, 503].includes(status)).length,
    ...Object.fromEntries([...times].map(([what, all]) => [what, all.length])),
    'sign-ins rejected': rejected.signIns,
    'slowest, ms': Math.round(slowest),
  }
}

/** The number of responses by status. */
async function flood(host: MeasuredHost, clientId: string, until: number): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const counts = new Map<number, number>()
  const url = authorizationUrl(host, clientId, { state: 's'.repeat(2048), login_hint: 'l'.repeat(512) })
  let left = MAX_REQUESTS
  const loop = async () => {
    while (performance.now() < until && left > 0) {
      left -= 1
      const { status } = await send(url, { agent, localAddress: FLOOD_ADDRESS })
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  agent.destroy()
  return counts
}

/** The actions of a user, a developer and an operator. All their requests are sent from `USER_ADDRESS`. */
function createUser(host: MeasuredHost, client: { client_id: string; client_secret: string }) {
  const agent = new Agent({ keepAlive: true })
  const { gatehouse, issuer, origin } = host
  let refreshToken = ''

  const fetchAsUser = async (url: Parameters<typeof fetch>[0], init: RequestInit = {}) => {
    const { method = 'GET', body, headers } = init
    const options = { agent, localAddress: USER_ADDRESS, method, headers: { ...(headers as object) } }
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
    const answer = await fetchAsUser(`${issuer}/oauth2/token`, { method: 'POST', body, headers })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  return {
    async signIn() {
      const browser = createBrowser({ follow: [origin], fetch: fetchAsUser })
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
    /** The operator revokes a leaked token, and the gateway rejects it. */
    async revoke() {
      const answer = await token({ grant_type: 'refresh_token', refresh_token: refreshToken })
      refreshToken = String(answer['refresh_token'])
      const leaked = String(answer['access_token'])
      await gatehouse.tokens.revoke(leaked)
      const call = { agent, localAddress: USER_ADDRESS, headers: { authorization: `Bearer ${leaked}` } }
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

/** Writes other data to Redis until `share` of `maxmemory` is used. */
async function fillMemory(redis: Redis, share: number): Promise<void> {
  const value = 'x'.repeat(100_000)
  for (let index = 0; (await usedMegabytes(redis)) * 1e6 < MAXMEMORY_BYTES * share; index += 1) {
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
