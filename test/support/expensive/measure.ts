import { send, type RawAnswer } from '../raw-request.ts'
import type { HostProcess } from '../host-process.ts'
import type { Target } from './changes.ts'
import { kindsFor, requestOf } from './kinds.ts'

/** What one kind of request costs at one target. */
export interface Cost {
  readonly target: string
  readonly kind: string
  readonly status: number
  /** CPU time of the process in milliseconds: the best of several requests. */
  readonly cpuMs: number
}

/** How many requests are sent at once. If all of them together stay within the limit, each of them does. */
const TOGETHER = 10

/**
 * Finds out which requests cost more CPU time of the process than `limitMs`. Such a request is sent several times, and
 * the best counts. The result names the time of each request that was sent alone; the others cost less than the limit.
 */
export async function findExpensive(
  process: Pick<HostProcess, 'ask'>,
  targets: readonly Target[],
  limitMs: number,
  kindsOf: (target: Target) => readonly string[] = kindsFor,
): Promise<Cost[]> {
  const costs: Cost[] = []
  for (const target of targets) {
    const kinds = kindsOf(target)
    for (let first = 0; first < kinds.length; first += TOGETHER) {
      const some = kinds.slice(first, first + TOGETHER)
      const before = await cpuTime(process)
      const answers = await Promise.all(some.map((kind) => send(target.port, requestOf(kind, target))))
      const together = (await cpuTime(process)) - before
      if (together > limitMs) costs.push(...(await measure(process, target, some, limitMs)))
      else costs.push(...some.map((kind, index) => costOf(target, kind, answers[index], 0)))
    }
  }
  return costs
}

/**
 * Measures the CPU time that a process needs for each kind of request to a target. Sends a request at most `attempts`
 * times, until it costs no more than `limitMs`. The best counts: other programs and garbage can only add to the time.
 */
async function measure(
  process: Pick<HostProcess, 'ask'>,
  target: Target,
  kinds: readonly string[],
  limitMs: number,
  attempts = 20,
): Promise<Cost[]> {
  const costs: Cost[] = []
  for (const kind of kinds) {
    const request = requestOf(kind, target)
    let best: Cost | undefined
    for (let attempt = 0; attempt < attempts && (best?.cpuMs ?? Infinity) > limitMs; attempt += 1) {
      const before = await cpuTime(process)
      const answer = await send(target.port, request)
      const cpuMs = ((await cpuTime(process)) - before) / (await slowness(process))
      if (best === undefined || cpuMs < best.cpuMs) best = costOf(target, kind, answer, cpuMs)
    }
    if (best) costs.push(best)
  }
  return costs
}

/** The number of kinds that are measured again, because a single time may have been slow by chance. */
const SUSPECTS = 10

/** Sends every kind of request to a target alone, and the slowest kinds five times more. */
export async function measureAll(process: Pick<HostProcess, 'ask'>, target: Target): Promise<Cost[]> {
  const costs = await measure(process, target, kindsFor(target), 0, 1)
  const slowestFirst = costs.toSorted((one, other) => other.cpuMs - one.cpuMs)
  const suspects = slowestFirst.slice(0, SUSPECTS).map(({ kind }) => kind)
  return [...(await measure(process, target, suspects, 0, 5)), ...slowestFirst.slice(SUSPECTS)]
}

/** CPU time in milliseconds of the fixed work on the machine for which the limit of 20 ms was set. */
const FIXED_WORK_MS = 0.7

/** How many times slower the machine is now than an idle one. A busy machine needs more CPU time for the same work. */
const slowness = async (process: Pick<HostProcess, 'ask'>): Promise<number> =>
  Math.max(1, ((await process.ask('fixedWork')) as number) / FIXED_WORK_MS)

const cpuTime = async (process: Pick<HostProcess, 'ask'>) => (await process.ask('cpu')) as number

function costOf(target: Target, kind: string, answer: RawAnswer | undefined, cpuMs: number): Cost {
  return { target: target.name, kind, status: answer?.status ?? 0, cpuMs }
}

/** The slowest request of each target, as a table. */
export function slowestByTarget(costs: readonly Cost[]): string {
  const slowest = new Map<string, Cost>()
  for (const cost of costs) {
    if (cost.cpuMs > (slowest.get(cost.target)?.cpuMs ?? 0)) slowest.set(cost.target, cost)
  }
  const rows = [...slowest.values()].map(
    ({ target, kind, status, cpuMs }) => `| ${target} | ${kind} | ${status} | ${cpuMs.toFixed(1)} |`,
  )
  return ['| request to | slowest kind | status | CPU ms |', '| --- | --- | --- | --- |', ...rows].join('\n')
}
