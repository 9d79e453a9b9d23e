/**
 * 50 clients call the API through two processes for five minutes: half of them below their limit, half of them at three
 * times their limit, in bursts. It fails if a client passes its limit by more than two leases of each process within 57
 * seconds, or if a call is rejected although its client has made fewer calls than its limit within 65 seconds. `--seconds N`
 * sets another time.
 */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startProcess } from '../../bench/processes.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Ask, ProcessOptions } from './limits-process.ts'

/** The limit of each client. */
const PER_MINUTE = 240
const CLIENTS = 50
const PROCESSES = 2
/** Two leases of each process; a lease is 1/40 of the limit. */
const BEYOND = 2 * PROCESSES * Math.floor(PER_MINUTE / 40)
export const SHORTEST_WINDOW_MS = 57_000
/** The window of 60 seconds, and the five seconds in which a process sends its calls. */
const LONGEST_WINDOW_MS = 65_100

export interface Answer {
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number | undefined
}

if (process.argv[1]?.endsWith('limits.js')) await run()

async function run(): Promise<void> {
  const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '300' } } })
  const redis = await startRedis()
  const ports = [await freePort(), await freePort()]
  const processes = await Promise.all(
    ports.map((port) =>
      startProcess<Ask>(new URL('limits-process.ts', import.meta.url), {
        port,
        servicePort: ports[0],
        redisUrl: redis.url,
        perMinute: PER_MINUTE,
      } as ProcessOptions),
    ),
  )
  const tokens = (await processes[0]?.ask<string[]>('tokens', 120_000, CLIENTS)) ?? []
  const agent = new Agent({ keepAlive: true, maxSockets: 32, scheduling: 'fifo' })
  const until = performance.now() + Number(options.seconds) * 1000
  const all = await Promise.all(
    tokens.map((token, at) => callUntil(until, token, { agent, ports, isGreedy: at % 2 === 0 })),
  )
  const failures: string[] = []
  const table: Record<string, object> = {}
  for (const [name, answers] of [
    ['three times the limit', all.filter((_, at) => at % 2 === 0)],
    ['below the limit', all.filter((_, at) => at % 2 === 1)],
  ] as const) {
    const rejected = answers.map((each) => each.filter(({ status }) => status === 429))
    const most = Math.max(...answers.map((each) => mostWithin(each, SHORTEST_WINDOW_MS)))
    const tooEarly = answers.reduce((sum, each) => sum + rejectedTooEarly(each), 0)
    table[name] = {
      calls: answers.flat().length,
      'rejected with 429': rejected.flat().length,
      'most in 57 s': most,
      'allowed in 57 s': PER_MINUTE + BEYOND,
      'rejected below the limit': tooEarly,
    }
    if (most > PER_MINUTE + BEYOND) failures.push(`${name}: a client made ${most} calls in 57 seconds`)
    if (tooEarly > 0) failures.push(`${name}: ${tooEarly} calls were rejected below the limit`)
  }
  const others = all.flat().filter(({ status }) => status !== 200 && status !== 429)
  if (others.length > 0)
    failures.push(`${others.length} calls got another answer: ${String(others[0]?.status)}`)
  console.table(table)
  for (const failure of failures) console.error(failure)
  await Promise.all(processes.map((each) => each.terminate()))
  await redis.stop()
  process.exit(failures.length === 0 ? 0 : 1)
}

/** Calls the API in bursts, through both processes. */
async function callUntil(
  until: number,
  token: string,
  { agent, ports, isGreedy }: { agent: Agent; ports: readonly number[]; isGreedy: boolean },
): Promise<Answer[]> {
  const answers: Answer[] = []
  // Below the limit: at most 90 % of it in any minute.
  const perSecond = isGreedy ? (3 * PER_MINUTE) / 60 : (0.9 * PER_MINUTE) / 60
  const started = performance.now()
  let sent = 0
  await delay(Math.random() * 1000)
  while (performance.now() < until) {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond) - sent
    const calls = Array.from({ length: Math.max(0, due) }, () => {
      sent += 1
      return call(ports[sent % ports.length] ?? 0, token, agent)
    })
    answers.push(...(await Promise.all(calls)))
    await delay(200 + Math.random() * 2000)
  }
  return answers
}

/** Calls the API. @param address the address that the proxy reports */
export function call(port: number, token: string, agent: Agent, address = '192.0.2.1'): Promise<Answer> {
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const finish = (status: number | undefined) => resolve({ sentAt, answeredAt: performance.now(), status })
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address }
    const outgoing = request(
      { port, host: '127.0.0.1', path: '/api/payments', headers, agent },
      (response) => {
        response.resume().on('end', () => finish(response.statusCode))
      },
    )
    outgoing.on('error', () => finish(undefined)).end()
  })
}

/** The most accepted calls that certainly were within so many milliseconds. */
export function mostWithin(answers: readonly Answer[], milliseconds: number): number {
  const accepted = answers
    .filter(({ status }) => status === 200)
    .toSorted((one, other) => one.answeredAt - other.answeredAt)
  let most = 0
  let first = 0
  for (const [at, { answeredAt }] of accepted.entries()) {
    // A call was counted between the moments when it was sent and answered.
    while (answeredAt - (accepted[first]?.sentAt ?? 0) > milliseconds) first += 1
    most = Math.max(most, at - first + 1)
  }
  return most
}

/** The number of calls that were rejected although fewer calls than the limit may have been within the longest window before. */
function rejectedTooEarly(answers: readonly Answer[]): number {
  const accepted = answers.filter(({ status }) => status === 200)
  const rejected = answers.filter(({ status }) => status === 429)
  return rejected.filter(
    ({ sentAt, answeredAt }) =>
      accepted.filter((each) => each.answeredAt > sentAt - LONGEST_WINDOW_MS && each.sentAt < answeredAt)
        .length < PER_MINUTE,
  ).length
}
