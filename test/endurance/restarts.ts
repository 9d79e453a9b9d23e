/**
 * Tests what clients lose when processes restart. Two processes run on one Redis. Clients refresh without a
 * grace period for refresh tokens, request direct tokens, and call the API with POST. One process after the other
 * gets SIGTERM, ends, and starts again.
 *
 * - without arguments: 300 restarts behind a balancer that keeps connections open, polls readiness every 200
 *   ms, and repeats no request.
 * - `--direct`: each client stays at one process, and goes to the other one when its request fails. The test
 *   then counts how many families survive a restart without a balancer.
 * - `--way close`: the processes stop with `server.close()` instead of `shutdown()`, for comparison.
 * - `--restarts 100`, `--grace-ms 500`, `--families 30`, `--load 10` (programs that use a core each), `--minutes 60`:
 *   the test ends after this time.
 *
 * The test fails if a refresh family is lost: its token was used, and the answer did not arrive. Behind the
 * balancer it also fails if any request is cut. Other answers, such as 503 of a busy machine, are counted.
 */
import { spawn } from 'node:child_process'
import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import { ACCOUNT_COOKIE } from '../../bench/authorize.ts'
import { CALLBACK, SCOPES } from '../../bench/host.ts'
import { startProcess, type Running } from '../../bench/processes.ts'
import { ERROR_HEADER, startBalancer } from './restarts-balancer.ts'
import type { Ask, Clients, ProcessOptions } from './restarts-process.ts'

const { values } = parseArgs({
  options: {
    restarts: { type: 'string', default: '300' },
    'grace-ms': { type: 'string' },
    families: { type: 'string', default: '30' },
    load: { type: 'string', default: '0' },
    minutes: { type: 'string', default: '120' },
    way: { type: 'string', default: 'shutdown' },
    direct: { type: 'boolean', default: false },
  },
})
const way = values.way === 'close' ? 'close' : 'shutdown'
const graceMs = values['grace-ms'] === undefined ? undefined : Number(values['grace-ms'])
/** Milliseconds between two requests of a client, on average. */
const PAUSE_MS = 50
/** Clients that call the API, and clients that request direct tokens. */
const OTHER_CLIENTS = 5
/** The end of the errors that the balancer reports of a connection to a process: ` of 4711`. */
const CUT = ' of '
/** Milliseconds after which a request without a response counts as cut. */
const REQUEST_TIMEOUT_MS = 60_000

const endsAt = performance.now() + Number(values.minutes) * 60_000
const BURN = 'for (const end = Date.now() + Number(process.argv[1]); Date.now() < end; );'
const burners = Array.from({ length: Number(values.load) }, () =>
  spawn(process.execPath, ['-e', BURN, String(Number(values.minutes) * 60_000)], { stdio: 'ignore' }),
)
process.once('exit', () => {
  for (const burner of burners) burner.kill('SIGKILL')
})

const redis = await startRedis()
const [balancerPort, ...ports] = [await freePort(), await freePort(), await freePort()] as const
const start = (port: number) => {
  const options: ProcessOptions = { redisUrl: redis.url, port, servicePort: balancerPort, way, graceMs }
  return startProcess<Ask>(new URL('restarts-process.ts', import.meta.url), options)
}
const processes: Running<Ask>[] = [await start(ports[0]), await start(ports[1])]
const { application, apiKey } = await (processes[0] as Running<Ask>).ask<Clients>('clients')
const balancer = await startBalancer(balancerPort, ports)
while (!ports.every(balancer.isReady)) await delay(50)

const counts = { refresh: 0, token: 0, api: 0, lost: 0, restarts: 0 }
/** Requests without an answer, and answers other than 200, with their numbers. */
const failures: Record<string, number> = {}
/** Families lost in each restart, if any. */
const lostIn: number[] = []
const stopTimes: number[] = []
let isOver = false

const families = Array.from({ length: Number(values.families) }, (_, number) => refreshUntilEnd(number))
const others = Array.from({ length: OTHER_CLIENTS }, (_, number) => [
  callUntilEnd(number),
  requestTokens(number),
])
const startedAt = performance.now()
while (counts.refresh < Number(values.families) * 3) await delay(100)
while (counts.restarts < Number(values.restarts) && performance.now() < endsAt) await restart()
await delay(1000)
isOver = true
await Promise.all([...families, ...others.flat()])
report()
balancer.close()
await Promise.all(processes.map((each) => each.kill()))
await redis.stop()
const hasCut = !values.direct && Object.keys(failures).some((each) => each.includes(CUT))
process.exit(counts.lost === 0 && !hasCut ? 0 : 1)

async function restart(): Promise<void> {
  const index = counts.restarts % 2
  const lostBefore = counts.lost
  const from = performance.now()
  await processes[index]?.terminate()
  stopTimes.push(performance.now() - from)
  // Without a balancer, the clients move to the other process before the next restart.
  processes[index] = await start(ports[index] ?? 0)
  while (!balancer.isReady(ports[index] ?? 0)) await delay(50)
  await delay(500)
  counts.restarts += 1
  if (counts.lost > lostBefore) lostIn.push(counts.restarts)
  if (counts.restarts % 10 === 0) report()
}

function report(): void {
  const sorted = stopTimes.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  console.log(
    JSON.stringify({
      ...counts,
      lostIn,
      failures,
      stopMs: { median: at(0.5), longest: at(1) },
      minutes: Math.round((performance.now() - startedAt) / 6000) / 10,
      load: loadavg().map((each) => Math.round(each)),
      node: process.version,
    }),
  )
}

interface Answer {
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  readonly text: string
  readonly headers: IncomingMessage['headers']
  /** Why no response arrived, at the client or at the balancer. */
  readonly error: string | undefined
}

interface Target {
  port: number
  readonly agent: Agent
}

/** A client with one connection to the balancer, or to one of the processes. */
function createTarget(number: number): Target {
  const port = values.direct ? ports[number % 2] : balancerPort
  return { port: port ?? balancerPort, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }
}

async function send(
  { port, agent }: Target,
  path: string,
  {
    method = 'POST',
    headers = {},
    form,
  }: { method?: string; headers?: object; form?: Record<string, string> } = {},
): Promise<Answer> {
  const body = form && new URLSearchParams(form).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body?.length ?? 0 }
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    const all = { ...(method === 'POST' && type), ...headers }
    const outgoing = request({ host: '127.0.0.1', port, path, method, agent, headers: all, signal })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of response) text += String(chunk)
    const error = response.statusCode === 502 ? String(response.headers[ERROR_HEADER]) : undefined
    return { status: error ? undefined : response.statusCode, text, headers: response.headers, error }
  } catch (error) {
    return {
      status: undefined,
      text: '',
      headers: {},
      error: String((error as { code?: string }).code ?? error),
    }
  }
}

/** Counts an answer. @returns whether its status is 200 */
function count(what: 'refresh' | 'token' | 'api', { status, error, text }: Answer): boolean {
  if (status === 200) counts[what] += 1
  // A process that does not listen has received nothing.
  else if (error !== 'ECONNREFUSED' || !values.direct) {
    const failure = `${what}: ${error ?? `${status} ${text.slice(0, 80)}`}`
    failures[failure] = (failures[failure] ?? 0) + 1
  }
  return status === 200
}

function refresh(target: Target, token: string): Promise<Answer> {
  const form = { ...application, grant_type: 'refresh_token', refresh_token: token }
  return send(target, '/auth/oauth2/token', { form })
}

async function refreshUntilEnd(number: number): Promise<void> {
  const target = createTarget(number)
  let token = await connect(target, number)
  while (!isOver) {
    await jitter(PAUSE_MS)
    let answer = await refresh(target, token)
    count('refresh', answer)
    const isCut = answer.status === undefined
    while (answer.status === undefined && !isOver) {
      // The request may have been carried out. Only the next answer shows it.
      changeProcess(target)
      await jitter(PAUSE_MS)
      answer = await refresh(target, token)
    }
    if (answer.status === 200) token = (JSON.parse(answer.text) as { refresh_token: string }).refresh_token
    else if (answer.status === 400) {
      // Without a cut, a busy store was the cause: an answer 503 does not say whether the token was used.
      if (isCut) counts.lost += 1
      token = await connect(target, number)
    }
  }
}

async function callUntilEnd(number: number): Promise<void> {
  const target = createTarget(number)
  let token = ''
  while (!isOver) {
    if (token === '') token = await requestToken(target)
    const answer = await send(target, '/api/invoices', { headers: { authorization: `Bearer ${token}` } })
    if (!count('api', answer)) changeProcess(target)
    await jitter(PAUSE_MS)
  }
}

async function requestTokens(number: number): Promise<void> {
  const target = createTarget(number)
  while (!isOver) {
    await requestToken(target)
    await jitter(PAUSE_MS)
  }
}

async function requestToken(target: Target): Promise<string> {
  const form = { ...apiKey, grant_type: 'client_credentials' }
  const answer = await send(target, '/auth/oauth2/token', { form })
  if (count('token', answer)) return (JSON.parse(answer.text) as { access_token: string }).access_token
  changeProcess(target)
  return ''
}

function changeProcess(target: Target): void {
  if (values.direct) target.port = (target.port === ports[0] ? ports[1] : ports[0]) ?? target.port
}

/** Connects as a new user, so that no user reaches the limit of grants. Resolves with the refresh token. */
async function connect(target: Target, number: number): Promise<string> {
  const cookies = new Map([[ACCOUNT_COOKIE, `user-${number}-${Math.round(performance.now())}`]])
  const query = {
    client_id: application.client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: SCOPES,
  }
  let path = `/auth/oauth2/authorize?${new URLSearchParams(query).toString()}`
  for (let hop = 0; hop < 100; hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const { status, headers } = await send(target, path, { method: 'GET', headers: { cookie } })
    if (status === undefined) changeProcess(target)
    for (const line of headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const { location } = headers
    if (location === undefined) continue
    const url = new URL(location, 'http://127.0.0.1')
    if (!url.href.startsWith(CALLBACK)) path = url.pathname + url.search
    else {
      const form = {
        ...application,
        grant_type: 'authorization_code',
        code: url.searchParams.get('code') ?? '',
      }
      const answer = await send(target, '/auth/oauth2/token', { form })
      if (answer.status === 200) return (JSON.parse(answer.text) as { refresh_token: string }).refresh_token
      return connect(target, number)
    }
  }
  throw new Error('no code')
}

/** Waits `milliseconds` on average. */
function jitter(milliseconds: number): Promise<void> {
  return delay(milliseconds * (0.5 + Math.random()))
}
