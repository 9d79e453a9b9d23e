/**
 * Measures how long a revocation takes to reach another process. Two processes share one Redis and get 200
 * requests/s each. One process revokes. The measured time begins before the call that revokes, and ends when
 * the other process has answered 401. The measurement is repeated with publish/subscribe disabled, and for a
 * gateway that polls over HTTP. In these two repetitions, the limit is the poll interval. The measurement
 * starts its own Redis, and fails if a figure exceeds its limit. `node bench/revocation-latency.ts` runs for
 * about a minute, and needs Node 22.18 or later.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { startRedis, type RedisServer } from '../test/support/redis-server.ts'
import { round } from './figures.ts'
import type { ProcessOptions, Question, Target } from './revocation-process.ts'

const KINDS = ['token', 'grant', 'client'] as const
const SAMPLES = 200
/** The number of revocations before the first measured revocation. */
const WARM_UP_REVOCATIONS = 20
/** Requests per second through each gateway. */
const REQUESTS_PER_SECOND = 200
/**
 * Seconds between two polls; this is the default value. Without messages, a revocation takes at most this long.
 */
const POLL_INTERVAL_SECONDS = 5
/** Milliseconds over which revocations are spread when a gateway polls. */
const SPREAD_MS = 15_000

interface Service {
  readonly port: number
  ask<T>(question: DistributiveOmit<Question, 'number'>): Promise<T>
}
type DistributiveOmit<T, Key extends string> = T extends unknown ? Omit<T, Key> : never

interface Measurement {
  readonly what: string
  readonly times: readonly number[]
  /** The limits in milliseconds. */
  readonly limits: { readonly median?: number; readonly p99?: number; readonly max?: number }
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const children: ChildProcess[] = []
let redis: RedisServer | undefined
const measurements: Measurement[] = []
/** The number of unexpected responses by status. The status is 0 if no response arrived. */
const wrongAnswers = new Map<number, number>()
let loaded = 0
let loadedMs = 0

try {
  await run()
} finally {
  for (const child of children) child.kill('SIGKILL')
  agent.destroy()
  await redis?.stop()
}
report()

async function run(): Promise<void> {
  redis = await startRedis()
  const redisUrl = redis.url
  const servicePort = await freePort()
  const start = async (options: Pick<ProcessOptions, 'role' | 'pollIntervalSeconds' | 'credentials'>) =>
    startProcess({
      ...options,
      redisUrl,
      servicePort,
      port: options.role === 'service' && children.length === 1 ? servicePort : await freePort(),
    })

  const one = await start({ role: 'service', pollIntervalSeconds: 5 })
  const other = await start({ role: 'service', pollIntervalSeconds: 5 })
  const [unrevoked] = await one.ask<Target[]>({ ask: 'targets', kind: 'client', count: 1 })
  const token = unrevoked?.token ?? ''
  await Promise.all([expectStatus(one, token, 200), expectStatus(other, token, 200)])

  // All targets are created before the measurement. When they exist, both processes have generated their
  // signing keys, which takes CPU time.
  const warmUp = await one.ask<Target[]>({ ask: 'targets', kind: 'token', count: WARM_UP_REVOCATIONS })
  const targets = new Map<string, Target[]>()
  for (const kind of KINDS) targets.set(kind, await one.ask({ ask: 'targets', kind, count: SAMPLES }))
  await underLoad([one, other], token, () => oneByOne(one, other, warmUp))
  for (const [kind, ofKind] of targets) {
    const times = await underLoad([one, other], token, () => oneByOne(one, other, ofKind))
    measurements.push({ what: `a ${kind}, by message`, times, limits: { median: 10, p99: 100 } })
  }

  const withoutMessages = await start({
    role: 'without-messages',
    pollIntervalSeconds: POLL_INTERVAL_SECONDS,
  })
  measurements.push({
    what: 'publish/subscribe disabled',
    times: await underLoad([one, withoutMessages], token, async () =>
      spread(one, withoutMessages, await ofAllKinds(one)),
    ),
    limits: { max: POLL_INTERVAL_SECONDS * 1000 },
  })

  const credentials = await one.ask<ProcessOptions['credentials']>({ ask: 'resourceServer' })
  const polling = await start({ role: 'gateway', pollIntervalSeconds: POLL_INTERVAL_SECONDS, credentials })
  measurements.push({
    what: 'over HTTP',
    times: await underLoad([one, polling], token, async () => spread(one, polling, await ofAllKinds(one))),
    limits: { max: POLL_INTERVAL_SECONDS * 1000 },
  })
}

/** Creates targets of all kinds in random order. */
async function ofAllKinds(service: Service): Promise<Target[]> {
  const lists: Target[][] = []
  for (const kind of KINDS) {
    lists.push(await service.ask<Target[]>({ ask: 'targets', kind, count: Math.ceil(SAMPLES / 3) }))
  }
  return lists.flat().toSorted(() => Math.random() - 0.5)
}

/** Revokes one target after the other. */
async function oneByOne(one: Service, other: Service, targets: readonly Target[]): Promise<number[]> {
  const times: number[] = []
  for (const target of targets) {
    await expectStatus(other, target.token, 200)
    times.push(await revokeAndWait(one, other, target, 0))
  }
  return times
}

/** Revokes at random moments, independent of the poll interval. */
async function spread(one: Service, other: Service, targets: readonly Target[]): Promise<number[]> {
  for (const { token } of targets) await expectStatus(other, token, 200)
  return Promise.all(
    targets.map(async (target) => {
      await delay(Math.random() * SPREAD_MS)
      return revokeAndWait(one, other, target, 20)
    }),
  )
}

/** Milliseconds from the question that makes `one` revoke until `other` has answered 401. */
async function revokeAndWait(one: Service, other: Service, target: Target, pause: number): Promise<number> {
  const started = performance.now()
  const revoked = one.ask({ ask: 'revoke', target })
  while ((await statusOf(other, target.token)) !== 401) {
    if (performance.now() - started > 30_000) throw new Error(`a ${target.kind} is not revoked`)
    await delay(pause)
  }
  const time = performance.now() - started
  await revoked
  return time
}

/** Sends calls with a valid token during `work`; all of them must succeed. */
async function underLoad<T>(services: readonly Service[], token: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  let sent = 0
  const calls: Promise<void>[] = []
  const timer = setInterval(() => {
    // Sends as many calls as are due, however late the timer fires.
    for (; sent < ((performance.now() - started) * REQUESTS_PER_SECOND) / 1000; sent += 1) {
      for (const service of services) {
        const call = statusOf(service, token).then((status) => {
          loaded += 1
          if (status !== 200) wrongAnswers.set(status, (wrongAnswers.get(status) ?? 0) + 1)
        })
        calls.push(call)
      }
    }
  }, 5)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await Promise.all(calls)
    loadedMs += (performance.now() - started) * services.length
  }
}

async function expectStatus(service: Service, token: string, expected: number): Promise<void> {
  const status = await statusOf(service, token)
  if (status !== expected) throw new Error(`HTTP ${status} where ${expected} was expected`)
}

/** The status of a call; 0 if no response arrived. */
function statusOf({ port }: Service, token: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` }
    const call = request({ port, host: '127.0.0.1', agent, path: '/api/invoices/7', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', () => resolve(0)).end()
  })
}

async function startProcess(options: ProcessOptions): Promise<Service> {
  const child = fork(path.join(import.meta.dirname, 'revocation-process.ts'), [JSON.stringify(options)])
  children.push(child)
  const answers = new Map<number, (value: unknown) => void>()
  let count = 0
  const ready = new Promise<number>((resolve, reject) => {
    child.on('message', (message: { ready?: number; number?: number; value?: unknown }) => {
      if (message.ready !== undefined) resolve(message.ready)
      else answers.get(message.number ?? -1)?.(message.value)
    })
    child.once('exit', (code) => reject(new Error(`a process ended with exit code ${code}`)))
  })
  return {
    port: await ready,
    ask: (question) =>
      new Promise((resolve) => {
        count += 1
        answers.set(count, resolve as (value: unknown) => void)
        child.send({ ...question, number: count })
      }),
  }
}

function report(): void {
  const figures = measurements.map(({ what, times, limits }) => {
    const sorted = times.toSorted((a, b) => a - b)
    const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
    const [median, p99, max] = [at(0.5), at(0.99), at(1)]
    const holds =
      median <= (limits.median ?? Infinity) &&
      p99 <= (limits.p99 ?? Infinity) &&
      max <= (limits.max ?? Infinity)
    const limit = Object.entries(limits).map(([name, value]) => `${name} ≤ ${value}`)
    return [
      what,
      {
        times: times.length,
        median: round(median),
        p99: round(p99),
        max: round(max),
        limit: limit.join(', '),
        holds,
      },
    ] as const
  })
  console.log('Milliseconds until the other process answers 401:')
  console.table(Object.fromEntries(figures))
  console.log(
    `${Math.round((loaded / loadedMs) * 1000)} further requests/s through each gateway; statuses other than 200, with their number: ${JSON.stringify([...wrongAnswers])}; Node ${process.version}`,
  )
  if (wrongAnswers.size > 0 || figures.some(([, { holds }]) => !holds)) process.exitCode = 1
}
