/**
 * Measures how long a revocation takes to reach another process, before and after the master of the revocations is
 * killed and its replica takes over. Two processes get 50 API calls a second each, and 5 clients refresh at both.
 * Every 30 ms the first process revokes a token. The measured time begins before that call, and ends when the other
 * process has answered 401. Calls that are rejected, because nothing can be revoked during the failover, do not
 * count; the time without a successful call is the gap.
 *
 * - `node bench/revocation-failover.ts sentinel`, the default: one master, two replicas, three Sentinels
 * - `node bench/revocation-failover.ts cluster`: three masters with one replica each
 *
 * Runs five times (`--runs 2`), each time with new servers. It fails if, in the median run, the 99th percentile of the
 * 10 seconds after the kill is more than twice that before the kill. It takes about three minutes, and needs Node
 * 22.18 or later.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
import { startRedisCluster } from '../test/support/redis-cluster.ts'
import { startRedisSentinel } from '../test/support/redis-sentinel.ts'
import { createClient, createLedger } from '../test/endurance/chaos-clients.ts'
import type { ApplicationClient, Ask, ProcessOptions } from '../test/endurance/chaos-process.ts'
import { median, percentile, round } from './figures.ts'
import { startProcess, type Running } from './processes.ts'

/** Milliseconds between two revocations. */
const INTERVAL_MS = 30
const CALLS_PER_SECOND = 50
const CLIENTS = 5
/** Milliseconds before the kill of which the first are not measured, and after the kill. */
const WARM_UP_MS = 3000
const BEFORE_MS = 8000
const AFTER_MS = 10_000
const LATER_MS = 6000

interface Group {
  readonly addresses: ProcessOptions['addresses']
  readonly sentinelName?: string
  /** Kills the master that holds the newest revocations. */
  kill(): Promise<void>
  stop(): Promise<void>
}

interface Sample {
  /** `performance.now()` when the call that revokes began. */
  readonly from: number
  /** Milliseconds until the call resolved, and until the other process answered 401. */
  readonly revoked: number
  readonly rejected: number
}

const GROUPS: Readonly<Record<string, () => Promise<Group>>> = {
  async sentinel() {
    const group = await startRedisSentinel()
    const kill = async () => (await group.master()).kill()
    return { addresses: group.addresses, sentinelName: group.name, kill, stop: () => group.stop() }
  },
  async cluster() {
    const group = await startRedisCluster()
    const kill = async () => {
      const number = Math.floor(Date.now() / 600_000)
      await (await group.masterOf(`gatehouse:revocations:recent:${number}`)).kill()
    }
    return { addresses: group.addresses, kill, stop: () => group.stop() }
  },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '5' } },
})
const [kind = 'sentinel'] = positionals
const startGroup = GROUPS[kind]
if (!startGroup) throw new Error(`no such group; there are ${Object.keys(GROUPS).join(', ')}`)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const ratios: number[] = []
for (let run = 0; run < Number(values.runs); run += 1) await measure(startGroup)
console.log(`p99 after the kill, as a multiple of that before: ${ratios.map(round).join(', ')}`)
process.exit(median(ratios) <= 2 ? 0 : 1)

async function measure(makeGroup: () => Promise<Group>): Promise<void> {
  const group = await makeGroup()
  const { addresses, sentinelName } = group
  const ports = [await freePort(), await freePort()]
  const processes: Running<Ask>[] = []
  for (const port of ports) {
    const fixed = { refreshTokenGraceSeconds: 10, storeTimeoutMs: 1000, servicePort: ports[0] ?? port }
    const options: ProcessOptions = { addresses, sentinelName, port, ...fixed }
    processes.push(
      await startProcess<Ask>(new URL('../test/endurance/chaos-process.ts', import.meta.url), options),
    )
  }
  const [one, other] = processes
  if (!one || !other) throw new Error('no processes')
  const count = Math.ceil((WARM_UP_MS + BEFORE_MS + AFTER_MS + LATER_MS) / INTERVAL_MS)
  const [valid = '', ...tokens] = await one.ask<string[]>('tokens', 60_000, count + 1)
  const application = await one.ask<ApplicationClient>('application')
  let isOver = false
  const ledger = createLedger()
  const clients = Array.from({ length: CLIENTS }, (_, number) =>
    createClient({ number, application, ports, pauseMs: 150, ledger, isOver: () => isOver }).run(),
  )
  const stopCalls = callRepeatedly(ports, valid)
  const samples: Sample[] = []
  let killedAt = Infinity
  const startedAt = performance.now()
  const pending: Promise<void>[] = []
  for (const [index, token] of tokens.entries()) {
    const at = startedAt + index * INTERVAL_MS
    await delay(Math.max(0, at - performance.now()))
    if (at - startedAt >= WARM_UP_MS + BEFORE_MS && killedAt === Infinity) {
      killedAt = performance.now()
      await group.kill()
    }
    pending.push(revokeAndWait(one, other, token).then((sample) => void (sample && samples.push(sample))))
  }
  await Promise.all(pending)
  isOver = true
  stopCalls()
  await Promise.all(clients)
  await Promise.all(processes.map((process) => process.kill()))
  await group.stop()
  report(samples, startedAt + WARM_UP_MS, killedAt)
}

/** @returns undefined if the token could not be revoked */
async function revokeAndWait(
  one: Running<Ask>,
  other: Running<Ask>,
  token: string,
): Promise<Sample | undefined> {
  const from = performance.now()
  let revoked = Number.NaN
  let isRevoked: boolean | undefined
  const answered = one.ask<boolean>('revoke', 20_000, token).then((is) => {
    isRevoked = is
    revoked = performance.now() - from
  })
  while ((await statusOf(other.port, token)) !== 401) {
    if (isRevoked === false) return undefined
    if (performance.now() - from > 30_000) throw new Error('a revoked token is still accepted after 30 s')
    await delay(2)
  }
  const rejected = performance.now() - from
  await answered
  return isRevoked ? { from, revoked, rejected } : undefined
}

/** Calls each process with a valid token. Returns a function that stops the calls. */
function callRepeatedly(ports: readonly number[], token: string): () => void {
  const startedAt = performance.now()
  let sent = 0
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * CALLS_PER_SECOND) / 1000
    for (; sent < due; sent += 1) for (const port of ports) void statusOf(port, token)
  }, 5)
  return () => clearInterval(timer)
}

/** The status of a call; 0 if no response arrived. */
function statusOf(port: number, token: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` }
    const call = request({ port, host: '127.0.0.1', agent, path: '/api/invoices/7', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', () => resolve(0)).end()
  })
}

function report(samples: readonly Sample[], from: number, killedAt: number): void {
  const between = (begin: number, end: number) =>
    samples.filter((sample) => begin <= sample.from && sample.from < end)
  const windows = {
    'before the kill': between(from, killedAt),
    '10 s after the kill': between(killedAt, killedAt + AFTER_MS),
    later: between(killedAt + AFTER_MS, Infinity),
  }
  const figures = Object.entries(windows).map(([name, some]) => {
    const times = some.map(({ rejected }) => rejected)
    const waited = some.map(({ rejected, revoked }) => rejected - revoked)
    return [
      name,
      {
        revocations: times.length,
        median: round(median(times)),
        p99: round(percentile(times, 0.99)),
        max: round(Math.max(...times)),
        'after the call resolved, p99': round(percentile(waited, 0.99)),
      },
    ] as const
  })
  const first = samples
    .filter((sample) => sample.from >= killedAt)
    .map(({ from: at, revoked }) => at + revoked)
  console.log(`${kind}: milliseconds until the other process answers 401; Node ${process.version}`)
  console.table(Object.fromEntries(figures))
  console.log(
    `nothing could be revoked for ${round((Math.min(...first) - killedAt) / 1000)} s after the kill`,
  )
  const [before, after] = figures.map(([, { p99 }]) => p99)
  ratios.push((after ?? Infinity) / (before ?? Number.NaN))
}
