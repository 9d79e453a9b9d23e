/**
 * Tests what clients see of a failing Redis. For 60 seconds, 50 clients connect and refresh repeatedly at
 * two processes in turn. After each failure a client retries with the same refresh token. Sometimes a client
 * sends one refresh token twice at the same time.
 *
 * - `kill`, the default: a cluster of 3 masters and 3 replicas. Three times a master is
 *   killed, its replica takes over, and the killed master restarts empty as the replica.
 * - `replica-behind`: like `kill`, but the replica is cut off for 1.5 s before its master is killed.
 * - `pause-master`: like `kill`, but the master is frozen for 10 s, and resumes after it was replaced.
 * - `pause`: a single Redis is frozen for 10 s, twice.
 *
 * The processes have `refreshTokenGraceSeconds: 10`, and on the cluster also `durability` (one replica, 500
 * ms). The test fails in each of these cases:
 *
 * - A refresh token gets two valid successors.
 * - A client cannot refresh with its current refresh token.
 * - A response is a 5xx other than 503.
 * - A request takes longer than the store's timeout allows.
 * - A client gets no tokens within 5 s after the recovery of Redis.
 * - The memory of a process grows by more than its limit.
 *
 * With `--no-durability` the test does not fail, and counts the writes that replication without WAIT loses.
 * `--seconds 30` shortens the run. With `--eager`, clients hardly pause between two refreshes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../support/free-port.ts'
import { createClient, createLedger, type Answer, type Connection } from './chaos-clients.ts'
import {
  masterKilled,
  masterPaused,
  redisPaused,
  replicaBehind,
  type Faults,
  type Outage,
} from './chaos-faults.ts'
import type { ApplicationClient, Ask, Memory, ProcessOptions } from './chaos-process.ts'
import { startProcess, type Running } from '../../bench/processes.ts'

const CLIENTS = 50
const STORE_TIMEOUT_MS = 1000
/**
 * During an outage, a request may take this many milliseconds longer than at other times. They cover a write
 * that times out, half a second to read its result, and a margin for queued requests.
 */
const TOLERANCE_MS = STORE_TIMEOUT_MS + 500 + 1000
/**
 * If the median response takes more than this many milliseconds, the machine is too busy, so times are not
 * checked.
 */
const BUSY_MEDIAN_MS = 250
/**
 * The report shows this many rejected clients. For each, it lists the responses of the last `REPORTED_MS`
 * milliseconds before the rejection.
 */
const REPORTED_CLIENTS = 5
const REPORTED_MS = 20_000
/** Milliseconds after the recovery within which every client must be served again. */
const RECOVERY_LIMIT_MS = 5000
/**
 * Megabytes by which the memory (RSS) of a process may grow during an outage, and by which its heap may grow.
 */
const RSS_GROWTH_MB = 80
const HEAP_GROWTH_MB = 15
/**
 * On Node 24 the semi-spaces of V8, which hold new objects, grow up to 64 MB each with the rate of requests. V8
 * keeps that memory after a garbage collection. The default of Node 20, 16 MB, makes the resident memory show what
 * a process retains.
 */
const EXEC_ARGV = ['--expose-gc', '--max-semi-space-size=16']
const SCENARIOS: Readonly<Record<string, () => Promise<Faults>>> = {
  kill: masterKilled,
  'pause-master': masterPaused,
  'replica-behind': replicaBehind,
  pause: redisPaused,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'no-durability': { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    eager: { type: 'boolean', default: false },
  },
})
const [scenario = 'kill'] = positionals
const makeFaults = SCENARIOS[scenario]
if (!makeFaults) throw new Error(`no such scenario; there are ${Object.keys(SCENARIOS).join(', ')}`)
const durable = !values['no-durability'] && scenario !== 'pause'
const runMs = Number(values.seconds) * 1000
const pauseMs = values.eager ? 2 : 150

const failures: string[] = []
const ledger = createLedger()
const faults = await makeFaults()
const ports = [await freePort(), await freePort()]
const processes: Running<Ask>[] = []
for (const port of ports) {
  processes.push(
    await startProcess<Ask>(new URL('chaos-process.ts', import.meta.url), optionsOf(port), {
      execArgv: EXEC_ARGV,
    }),
  )
}
const [one] = processes
if (!one) throw new Error('no process')
const application = await one.ask<ApplicationClient>('application')
const startedAt = performance.now()
let isOver = false
const clients = Array.from({ length: CLIENTS }, (_, number) =>
  createClient({ number, application, ports, pauseMs, ledger, isOver: () => isOver }),
)
const running = Promise.all(clients.map((client) => client.run()))
const samples: (Memory & { readonly at: number })[] = []
const sampling = sampleMemory()
const outages = await injectFaults()
await delay(startedAt + runMs - performance.now())
isOver = true
await Promise.all([running, sampling])
const answers = ledger.answers.length
const final = await checkTokens()
await takeSample()
const logs = await Promise.all(processes.map((process) => process.ask<object>('log')))
report()
await Promise.all(processes.map((process) => process.kill()))
await faults.stop()
for (const failure of new Set(failures)) console.log(`FAILED: ${failure}`)
process.exit(failures.length === 0 || values['no-durability'] ? 0 : 1)

function optionsOf(port: number): ProcessOptions {
  return {
    addresses: faults.addresses,
    port,
    servicePort: ports[0] ?? port,
    ...(durable && { durability: { replicas: 1, timeoutMs: 500 } }),
    refreshTokenGraceSeconds: 10,
    storeTimeoutMs: STORE_TIMEOUT_MS,
  }
}

async function injectFaults(): Promise<Outage[]> {
  const injected: Outage[] = []
  for (const time of faults.times.filter((each) => each < runMs - 10_000)) {
    await delay(Math.max(0, startedAt + time - performance.now()))
    injected.push(await faults.inject())
  }
  return injected
}

/** Records the memory of the two processes after a garbage collection: the larger value of each figure. */
async function takeSample(): Promise<void> {
  const all = await Promise.all(processes.map((process) => process.ask<Memory>('memory')))
  const largest = (figure: keyof Memory) => Math.max(...all.map((each) => each[figure]))
  samples.push({ at: performance.now(), rss: largest('rss'), heapUsed: largest('heapUsed') })
}

async function sampleMemory(): Promise<void> {
  while (!isOver) {
    await takeSample()
    await delay(1000)
  }
}

interface FinalState {
  /** Valid refresh tokens beyond the first of each grant. */
  twins: number
  /** Grants without a valid token although they were not revoked. */
  lost: number
  /** Grants whose last token is not valid, although an older token is valid. */
  rolledBack: number
  /** Grants whose last token could be exchanged after the run. */
  usable: number
}

/**
 * Introspects the tokens of each grant. Only the last token of a grant may be active. The result counts the
 * violations, and the grants that can still be used.
 */
async function checkTokens(): Promise<FinalState> {
  const found: FinalState = { twins: 0, lost: 0, rolledBack: 0, usable: 0 }
  const left = [...ledger.connections]
  const worker = async (client: (typeof clients)[number]) => {
    for (let next = left.pop(); next; next = left.pop()) await checkConnection(client, next, found)
  }
  await Promise.all(clients.slice(0, 20).map(worker))
  return found
}

async function checkConnection(
  client: (typeof clients)[number],
  { tokens }: Connection,
  found: FinalState,
): Promise<void> {
  const all = new Set(tokens.flatMap((token) => [token, ...(ledger.successors.get(token) ?? [])]))
  const active = await client.activeTokens([...all])
  const last = tokens.at(-1) ?? ''
  if (active.length > 1) found.twins += active.length - 1
  if (active.length === 0) found.lost += 1
  else if (!active.includes(last)) found.rolledBack += 1
  const answer = active.includes(last) ? await client.refresh(last) : undefined
  if (answer?.status === 200) found.usable += 1
}

function report(): void {
  console.log(
    `${scenario}, ${durable ? 'with' : 'without'} durability: ${CLIENTS} clients, ${ledger.connections.length} connections, ` +
      `${ledger.accepted.size} refreshes, ${outages.length} outages; Node ${process.version}`,
  )
  reportAnswers()
  reportOutages()
  reportTokens()
  reportMemory()
  if (failures.length > 0) {
    console.log(
      'The log of each process: how often each text was logged, and in which second it was logged last:',
    )
    for (const log of logs) console.dir(log, { breakLength: Infinity })
  }
}

function reportAnswers(): void {
  const counts: Record<string, Record<string, number>> = {}
  for (const { what, status, text, retryAfter } of ledger.answers.slice(0, answers)) {
    const ofWhat = (counts[what] ??= {})
    ofWhat[status] = (ofWhat[status] ?? 0) + 1
    // The clients send only valid authorization and introspection requests, so no such request may be
    // rejected.
    const isRejection = status >= 400 && status < 500 && (what === 'authorize' || what === 'introspect')
    if (status === 0 || isRejection || (status >= 500 && status !== 503))
      failures.push(`${what} was answered ${status} ${text}`)
    if (status === 503 && !retryAfter) failures.push(`${what} was answered 503 without Retry-After`)
  }
  console.log('Responses by status:')
  console.table(counts)
}

function reportOutages(): void {
  const seen = ledger.answers.slice(0, answers)
  const during = seen.filter(({ from }) =>
    outages.some(({ startedAt, recoveredAt }) => startedAt <= from && from < recoveredAt),
  )
  const usual = seen.filter((answer) => !during.includes(answer))
  const rows = { 'without an outage': usual, 'during an outage': during }
  console.log('Milliseconds until the response:')
  console.table(Object.fromEntries(Object.entries(rows).map(([what, some]) => [what, timesOf(some)])))
  const slowest = Math.max(...seen.map(({ from, to }) => to - from))
  const { p50, p99 } = timesOf(usual)
  const isChecked = p50 <= BUSY_MEDIAN_MS
  if (!isChecked) console.log('The machine is too busy: times are not checked')
  if (isChecked && slowest > p99 + TOLERANCE_MS)
    failures.push(`a request took ${Math.round(slowest)} ms; the limit is ${p99 + TOLERANCE_MS} ms`)

  const figures = outages.map((outage, index) => {
    const next = outages[index + 1]?.startedAt ?? Infinity
    const afterServed = lastToBeServed(outage.servedAt, next)
    const afterRecovery = lastToBeServed(outage.recoveredAt, next)
    if (!(afterRecovery <= RECOVERY_LIMIT_MS)) reportLast(outage.recoveredAt, next)
    if (isChecked && !(afterRecovery <= RECOVERY_LIMIT_MS))
      failures.push(`a client waited for ${seconds(afterRecovery)} s after the recovery`)
    return {
      'all slots served after s': seconds(outage.servedAt - outage.startedAt),
      'replicas in sync after s': seconds(outage.recoveredAt - outage.startedAt),
      'last client, s after slots': seconds(afterServed),
      'last client, s after replicas': seconds(afterRecovery),
    }
  })
  console.table(figures)
}

/** Reports the responses of the client that was served last. */
function reportLast(time: number, before: number): void {
  const times = clients.map((_, number) => servedAfter(number, time, before))
  const number = times.indexOf(Math.max(...times))
  console.log(`client ${number} waited; its responses, in s after the recovery:`)
  const received = ledger.answers.filter(({ client, to }) => client === number && to > time && to < before)
  printAnswers(received.slice(0, 12), time)
}

/** Prints each response with the times of its request and its arrival, in seconds from `time`. */
function printAnswers(received: readonly Answer[], time: number): void {
  for (const { what, status, from, to, text } of received) {
    const description = status === 200 ? '' : (/"error_description":"([^"]*)/.exec(text)?.[1] ?? '')
    console.log(`  ${seconds(from - time)} to ${seconds(to - time)}: ${what} ${status} ${description}`)
  }
}

/** Milliseconds from `time` until every client has received tokens. */
function lastToBeServed(time: number, before: number): number {
  return Math.max(...clients.map((_, number) => servedAfter(number, time, before)))
}

function servedAfter(number: number, time: number, before: number): number {
  const served = ledger.answers.find(
    ({ client, status, what, to }) =>
      client === number && status === 200 && (what === 'refresh' || what === 'code') && to > time,
  )
  return served && served.to < before ? served.to - time : Infinity
}

function reportTokens(): void {
  const several = [...ledger.successors.values()].filter((next) => next.size > 1)
  const acceptedTwins = several.filter(
    (next) => [...next].filter((each) => ledger.accepted.has(each)).length > 1,
  )
  console.table({
    'refresh tokens with two successors': several.length,
    'both successors accepted': acceptedTwins.length,
    'valid beside another token of their grant': final.twins,
    'connections without a valid token': final.lost,
    'connections that fell back to an older token': final.rolledBack,
    'usable connections': final.usable,
    'clients rejected, or out of retries': ledger.stuck.length,
    'codes lost': ledger.codesLost.length,
  })
  for (const { client, at, what } of ledger.stuck.slice(0, REPORTED_CLIENTS)) {
    console.log(`client ${client}, ${what}; its responses in the ${seconds(REPORTED_MS)} s before:`)
    printAnswers(
      ledger.answers.filter(
        (answer) => answer.client === client && answer.to > at - REPORTED_MS && answer.to < at,
      ),
      at,
    )
  }
  for (const lost of ledger.codesLost.slice(0, REPORTED_CLIENTS)) console.log(`  ${lost}`)
  if (acceptedTwins.length > 0)
    failures.push(`${acceptedTwins.length} refresh tokens had two successors that were accepted`)
  if (final.twins > 0)
    failures.push(`${final.twins} refresh tokens are valid beside another token of their grant`)
  if (final.usable !== ledger.connections.length - ledger.stuck.length) failures.push('connections were lost')
  if (ledger.stuck.length > 0)
    failures.push(`${ledger.stuck.length} clients could not refresh with their current refresh token`)
}

function reportMemory(): void {
  const first = outages[0]?.startedAt ?? Infinity
  const isDuringOutage = ({ at }: { at: number }) =>
    outages.some(({ startedAt, recoveredAt }) => startedAt <= at && at <= recoveredAt)
  const largest = (some: readonly Memory[]) => ({
    rss: Math.round(Math.max(...some.map(({ rss }) => rss))),
    heapUsed: Math.round(Math.max(...some.map(({ heapUsed }) => heapUsed))),
  })
  const before = largest(samples.filter(({ at }) => at < first))
  const during = largest(samples.filter(isDuringOutage))
  const after = largest(samples.slice(-1))
  console.log('Megabytes of a process, after a garbage collection:')
  console.table({ before, 'during outages, at most': during, after })
  if (during.rss > before.rss + RSS_GROWTH_MB) failures.push('the memory of a process grew during an outage')
  for (const { heapUsed } of [during, after]) {
    if (heapUsed > before.heapUsed + HEAP_GROWTH_MB)
      failures.push('a process uses more heap than before the outages')
  }
}

interface Times {
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

function timesOf(some: readonly Answer[]): Times {
  const times = some.map(({ from, to }) => to - from).toSorted((a, b) => a - b)
  const percentile = (part: number) => Math.round(times[Math.ceil(times.length * part) - 1] ?? Number.NaN)
  return { requests: times.length, p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) }
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
