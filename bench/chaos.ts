/**
 * What clients see when Redis is struck: 50 of them connect and refresh, again and again, at two processes in turn, for
 * 60 seconds. They try again with the same refresh token after each failure, and some send one twice at the same time.
 *
 * - `node bench/chaos.ts kill`, the default: a cluster of 3 masters and 3 replicas; three times a master is killed, its
 *   replica takes over, and the killed one comes back, empty, as the replica.
 * - `replica-behind`: the same, but the replica was cut off for 1.5 s before.
 * - `pause-master`: the same, but the master is frozen for 10 s, and wakes up when it is none any more.
 * - `pause`: a single Redis, which is frozen for 10 s, twice.
 *
 * With `durability` (one replica, 500 ms) on the cluster and `refreshTokenGraceSeconds: 10`, it fails if a refresh token gets
 * two living successors, if a client is rejected that has used nothing twice, if anything answers 5xx but 503, if a
 * request takes longer than the store's deadline allows, or if somebody has to wait for more than 5 s when all is well
 * again. With `--no-durability` it only counts what replication that nobody waits for lets slip. `--seconds 30` is
 * shorter, and with `--eager` clients hardly pause between two refreshes. Starts servers of its own. Node 22.18 or later; a minute and a half.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/support/free-port.ts'
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
import { startProcess, type Running } from './processes.ts'

const CLIENTS = 50
const STORE_TIMEOUT_MS = 1000
/**
 * Milliseconds that a request may take longer than those of a time when all is well: a write at its deadline, half a
 * second to learn how it ended, and a margin for what has waited before it.
 */
const LONGER_MS = STORE_TIMEOUT_MS + 500 + 1000
/** Milliseconds that half of all requests take at most when all is well: beyond that the machine is what is measured. */
const BUSY_MS = 250
/** Of those who were rejected, how many are told of, and what of the time before, in milliseconds. */
const TOLD = 5
const BEFORE_MS = 20_000
/** Milliseconds after which everybody is served again. */
const BACK_WITHIN = 5000
/** Megabytes that a process may take more while Redis is away, and may have kept in the end. */
const MORE_RSS = 80
const MORE_HEAP = 15
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
  processes.push(await startProcess<Ask>('chaos-process.ts', optionsOf(port), { execArgv: ['--expose-gc'] }))
}
const [one] = processes
if (!one) throw new Error('no process')
const application = await one.ask<ApplicationClient>('application')
const begun = performance.now()
let isOver = false
const clients = Array.from({ length: CLIENTS }, (_, number) =>
  createClient({ number, application, ports, pauseMs, ledger, isOver: () => isOver }),
)
const running = Promise.all(clients.map((client) => client.run()))
const samples: (Memory & { readonly at: number })[] = []
const watching = watchMemory()
const outages = await strike()
await delay(begun + runMs - performance.now())
isOver = true
await Promise.all([running, watching])
const answers = ledger.answers.length
const ended = await lookAtTheEnd()
await watchOnce()
const complaints = await Promise.all(processes.map((process) => process.ask<object>('complaints')))
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

async function strike(): Promise<Outage[]> {
  const struck: Outage[] = []
  for (const time of faults.times.filter((each) => each < runMs - 10_000)) {
    await delay(Math.max(0, begun + time - performance.now()))
    struck.push(await faults.strike())
  }
  return struck
}

/** What the larger of the two processes takes, garbage collected. */
async function watchOnce(): Promise<void> {
  const all = await Promise.all(processes.map((process) => process.ask<Memory>('memory')))
  const most = (of: keyof Memory) => Math.max(...all.map((each) => each[of]))
  samples.push({ at: performance.now(), rss: most('rss'), heapUsed: most('heapUsed') })
}

async function watchMemory(): Promise<void> {
  while (!isOver) {
    await watchOnce()
    await delay(1000)
  }
}

interface Ended {
  /** Refresh tokens that live, where there is another one of the same grant. */
  twins: number
  /** Grants of which no token lives although nobody ended them. */
  lost: number
  /** Grants of which an older token lives, but not the last. */
  rolledBack: number
  /** Grants whose last token was exchanged once more. */
  goOn: number
}

/** Asks about the tokens of each grant: the last one lives, and no other. */
async function lookAtTheEnd(): Promise<Ended> {
  const found: Ended = { twins: 0, lost: 0, rolledBack: 0, goOn: 0 }
  const left = [...ledger.connections]
  const worker = async (client: (typeof clients)[number]) => {
    for (let next = left.pop(); next; next = left.pop()) await lookAt(client, next, found)
  }
  await Promise.all(clients.slice(0, 20).map(worker))
  return found
}

async function lookAt(client: (typeof clients)[number], { tokens }: Connection, found: Ended): Promise<void> {
  const all = new Set(tokens.flatMap((token) => [token, ...(ledger.successors.get(token) ?? [])]))
  const living = await client.living([...all])
  const last = tokens.at(-1) ?? ''
  if (living.length > 1) found.twins += living.length - 1
  if (living.length === 0) found.lost += 1
  else if (!living.includes(last)) found.rolledBack += 1
  const answer = living.includes(last) ? await client.refresh(last) : undefined
  if (answer?.status === 200) found.goOn += 1
}

function report(): void {
  console.log(
    `${scenario}, ${durable ? 'with' : 'without'} durability: ${CLIENTS} clients, ${ledger.connections.length} connections, ` +
      `${ledger.accepted.size} refreshes, ${outages.length} times; Node ${process.version}`,
  )
  reportAnswers()
  reportOutages()
  reportTokens()
  reportMemory()
  if (failures.length > 0) {
    console.log('What the loggers of the processes were told, how often, and in which second last:')
    for (const ofProcess of complaints) console.dir(ofProcess, { breakLength: Infinity })
  }
}

function reportAnswers(): void {
  const counts: Record<string, Record<string, number>> = {}
  for (const { what, status, text, retryAfter } of ledger.answers.slice(0, answers)) {
    const ofWhat = (counts[what] ??= {})
    ofWhat[status] = (ofWhat[status] ?? 0) + 1
    // Nothing is wrong with an authorization request here, nor with who asks about a token.
    const isRejection = status >= 400 && status < 500 && (what === 'authorize' || what === 'introspect')
    if (status === 0 || isRejection || (status >= 500 && status !== 503))
      failures.push(`${what} was answered ${status} ${text}`)
    if (status === 503 && !retryAfter) failures.push(`${what} was answered 503 without Retry-After`)
  }
  console.log('Answers by their status:')
  console.table(counts)
}

function reportOutages(): void {
  const seen = ledger.answers.slice(0, answers)
  const during = seen.filter(({ from }) => outages.some(({ began, whole }) => began <= from && from < whole))
  const usual = seen.filter((answer) => !during.includes(answer))
  const rows = { 'all is well': usual, 'while it is away': during }
  console.log('Milliseconds until a request is answered:')
  console.table(Object.fromEntries(Object.entries(rows).map(([what, some]) => [what, timesOf(some)])))
  const slowest = Math.max(...seen.map(({ from, to }) => to - from))
  const { p50, p99 } = timesOf(usual)
  const isJudged = p50 <= BUSY_MS
  if (!isJudged) console.log('The machine is too busy for times to mean anything: they are not judged')
  if (isJudged && slowest > p99 + LONGER_MS)
    failures.push(`a request took ${Math.round(slowest)} ms, and may take ${p99 + LONGER_MS}`)

  const figures = outages.map((outage, index) => {
    const next = outages[index + 1]?.began ?? Infinity
    const afterServed = lastToBeServed(outage.served, next)
    const afterWhole = lastToBeServed(outage.whole, next)
    if (!(afterWhole <= BACK_WITHIN)) tellOfLast(outage.whole, next)
    if (isJudged && !(afterWhole <= BACK_WITHIN))
      failures.push(`somebody waited for ${seconds(afterWhole)} s when all was well again`)
    return {
      'all slots served after s': seconds(outage.served - outage.began),
      'replicas in sync after s': seconds(outage.whole - outage.began),
      'last client, s after slots': seconds(afterServed),
      'last client, s after replicas': seconds(afterWhole),
    }
  })
  console.table(figures)
}

/** What the client was told meanwhile that was served last. */
function tellOfLast(time: number, before: number): void {
  const times = clients.map((_, number) => servedAfter(number, time, before))
  const number = times.indexOf(Math.max(...times))
  console.log(`client ${number} waited; what it was told, in s after all was well:`)
  const told = ledger.answers.filter(({ client, to }) => client === number && to > time && to < before)
  tellAnswers(told.slice(0, 12), time)
}

/** Each with when it was asked for and given, in seconds from `time`. */
function tellAnswers(told: readonly Answer[], time: number): void {
  for (const { what, status, from, to, text } of told) {
    const about = status === 200 ? '' : (/"error_description":"([^"]*)/.exec(text)?.[1] ?? '')
    console.log(`  ${seconds(from - time)} to ${seconds(to - time)}: ${what} ${status} ${about}`)
  }
}

/** Milliseconds from `time` until every client has been given tokens that it asked for. */
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
    'of them both accepted': acceptedTwins.length,
    'living beside another one of their grant': ended.twins,
    'connections that nothing is left of': ended.lost,
    'connections that fell back to an older token': ended.rolledBack,
    'connections that go on': ended.goOn,
    'clients rejected, or given up': ledger.stuck.length,
    'codes lost': ledger.codesLost.length,
  })
  for (const { client, at, what } of ledger.stuck.slice(0, TOLD)) {
    console.log(`client ${client}, ${what}; what it was told in the ${seconds(BEFORE_MS)} s before:`)
    tellAnswers(
      ledger.answers.filter((it) => it.client === client && it.to > at - BEFORE_MS && it.to < at),
      at,
    )
  }
  for (const lost of ledger.codesLost.slice(0, TOLD)) console.log(`  ${lost}`)
  if (acceptedTwins.length > 0)
    failures.push(`${acceptedTwins.length} refresh tokens had two successors that were accepted`)
  if (ended.twins > 0) failures.push(`${ended.twins} refresh tokens live beside another one`)
  if (ended.goOn !== ledger.connections.length - ledger.stuck.length) failures.push('connections were lost')
  if (ledger.stuck.length > 0)
    failures.push(`${ledger.stuck.length} clients were rejected although they had used nothing twice`)
}

function reportMemory(): void {
  const first = outages[0]?.began ?? Infinity
  const isAway = ({ at }: { at: number }) => outages.some(({ began, whole }) => began <= at && at <= whole)
  const most = (some: readonly Memory[]) => ({
    rss: Math.round(Math.max(...some.map(({ rss }) => rss))),
    heapUsed: Math.round(Math.max(...some.map(({ heapUsed }) => heapUsed))),
  })
  const before = most(samples.filter(({ at }) => at < first))
  const during = most(samples.filter(isAway))
  const after = most(samples.slice(-1))
  console.log('Megabytes of a process, garbage collected:')
  console.table({ before, 'while it is away, at most': during, after })
  if (during.rss > before.rss + MORE_RSS) failures.push('a process grew while Redis was away')
  for (const { heapUsed } of [during, after]) {
    if (heapUsed > before.heapUsed + MORE_HEAP)
      failures.push('a process keeps more than before Redis was away')
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
  const at = (part: number) => Math.round(times[Math.ceil(times.length * part) - 1] ?? Number.NaN)
  return { requests: times.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}
