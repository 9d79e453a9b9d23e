/**
 * Floods the token endpoint of one process. At the same time, API calls and the token requests of an owner at another
 * address are measured. It fails if the owner does not get a token, or if the 99th percentile of the API calls is more
 * than five times that of the quiet seconds before the flood. `--max N` sets `maxTokenRequests`.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { percentile, round } from '../../bench/figures.ts'
import { startProcess } from '../../bench/processes.ts'
import type { Credentials } from './key-process.ts'
import type { Ask, Flood, FloodAnswers, ProcessOptions } from './token-flood-process.ts'

const QUIET_SECONDS = 8
const FLOOD_SECONDS = 10
/** API calls and token requests of the owner a second. */
const CALLS = 200
const TOKEN_REQUESTS = 20
/** How many times as slow as before the flood the API may be. */
const TIMES = 5
const [FLOOD_ADDRESS, OWNER_ADDRESS] = ['127.0.0.1', '127.0.0.2']

const { values: options } = parseArgs({ options: { max: { type: 'string' } } })
const redis = await startRedis()
const port = await freePort()
const host = await startProcess<Ask>(new URL('token-flood-process.ts', import.meta.url), {
  port,
  redisUrl: redis.url,
  ...(options.max !== undefined && { maxTokenRequests: Number(options.max) }),
} as ProcessOptions)
const sender = await startProcess<Ask>(new URL('token-flood-process.ts', import.meta.url), { port })
const origin = `http://127.0.0.1:${port}`
const tokenUrl = `${origin}/auth/oauth2/token`
// All connections are opened before the first flood, because the kernel keeps new ones waiting during a flood.
const agent = new Agent({ keepAlive: true, localAddress: OWNER_ADDRESS, maxSockets: 32, scheduling: 'fifo' })
const keys = await host.ask<readonly Credentials[]>('clients')
const [first, owner] = [keys[0], keys.at(-1)]
if (!first || !owner) throw new Error('no clients')
const ownForm = formOf(owner)
const { access_token: token } = JSON.parse((await post(ownForm)).body) as { access_token: string }

const right = formOf(first)
const floods: Record<string, Pick<Flood, 'connections' | 'requests'>> = {
  'right secrets of one client': { connections: 2000, requests: [{ form: right, address: FLOOD_ADDRESS }] },
  'right secrets, three clients and addresses': {
    connections: 2000,
    requests: keys.slice(0, 3).map((key, at) => ({ form: formOf(key), address: `127.0.1.${at + 1}` })),
  },
  "wrong secrets of the owner's client": {
    connections: 200,
    requests: [{ form: formOf({ ...owner, client_secret: 'x'.repeat(43) }), address: FLOOD_ADDRESS }],
  },
  'wrong secrets of invented clients': {
    connections: 200,
    requests: Array.from({ length: 100 }, (_, at) => ({
      form: formOf({ client_id: `invented-${at}`, client_secret: 'x'.repeat(43) }),
      address: FLOOD_ADDRESS,
    })),
  },
}
const failures: string[] = []
const table: Record<string, object> = {}
await Promise.all(Array.from({ length: 32 }, call))
await measure(3)
for (const [name, flood] of Object.entries(floods)) {
  const quiet = await measure(QUIET_SECONDS)
  const flooding = sender.ask<FloodAnswers>('flood', 60_000, {
    port,
    seconds: FLOOD_SECONDS,
    ...flood,
  })
  // The connections are opened in the first second.
  await delay(1000)
  const busy = await measure(FLOOD_SECONDS - 2)
  const { statuses, perSecond } = await flooding
  const times = busy.api.p99 / quiet.api.p99
  if (times > TIMES) failures.push(`${name}: the API is ${round(times)} times as slow`)
  // Without a limit no request of the owner fails either, so this also holds for `--max 1000000`.
  if (busy.rejected > 0) failures.push(`${name}: the owner got ${busy.rejected} answers that are no token`)
  table[name] = {
    'quiet p50': quiet.api.p50,
    'quiet p99': quiet.api.p99,
    'API p50': busy.api.p50,
    'API p99': busy.api.p99,
    times: round(times),
    "owner's p50": busy.tokens.p50,
    "owner's p99": busy.tokens.p99,
    rejected: busy.rejected,
    'flood/s': perSecond,
    statuses: JSON.stringify(statuses),
  }
}
console.table(table)
console.log(`milliseconds; Node ${process.version}`)
for (const failure of failures) console.error(failure)
await Promise.all([host.terminate(), sender.terminate()])
await redis.stop()
process.exit(failures.length === 0 ? 0 : 1)

/** Calls the API and requests tokens, each at its own rate. */
async function measure(seconds: number) {
  const api: Promise<number>[] = []
  const tokens: Promise<number>[] = []
  let rejected = 0
  const started = performance.now()
  while (performance.now() - started < seconds * 1000) {
    const elapsed = (performance.now() - started) / 1000
    while (api.length < elapsed * CALLS) api.push(timed(() => call()))
    while (tokens.length < elapsed * TOKEN_REQUESTS) {
      tokens.push(
        timed(async () => {
          const { status } = await post(ownForm)
          if (status !== 200) rejected += 1
        }),
      )
    }
    await delay(2)
  }
  return {
    api: percentiles(await Promise.all(api)),
    tokens: percentiles(await Promise.all(tokens)),
    rejected,
  }
}

async function call(): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await send(`${origin}/api/payments`, 'GET', headers)
  if (status !== 200) failures.push(`an API call was answered with ${status}`)
}

function post(form: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return send(tokenUrl, 'POST', headers, form)
}

function send(url: string, method: string, headers: Record<string, string>, body?: string) {
  return new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString() }),
      )
    })
    outgoing.on('error', reject).end(body)
  })
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function percentiles(times: readonly number[]) {
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => round(percentile(times, share)))
  return { p50, p99 }
}

function formOf(credentials: Credentials): string {
  return new URLSearchParams({ grant_type: 'client_credentials', ...credentials }).toString()
}
