/** What is broken in a run, one thing after another. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/fuzz/random.ts'
import type { Direction, TcpProxy } from '../support/tcp-proxy.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Fault } from './history.ts'
import type { ProofStore } from './stores.ts'

/** Milliseconds by which a clock is set at most: docs/operations.md allows half a minute between two processes. */
const CLOCK_STEP_MS = 12_000
/** Milliseconds of delay that a slow link has in each direction, at most. */
const SLOW_MS = 60

type Inject = (member: Member, random: Random) => Promise<void>

/** What can happen to a process or its links. */
const OF_MEMBER: Readonly<Record<string, Inject>> = {
  'link-cut': async ({ proxies }, random) => {
    const restore = await Promise.all(proxies.map((proxy) => proxy.cut()))
    await delay(300 + random.below(2500))
    await Promise.all(restore.map((each) => each()))
  },
  'link-held': (member, random) => onLinks(member, random, (proxy, direction) => proxy.hold(direction)),
  'link-drops': (member, random) => onLinks(member, random, (proxy, direction) => proxy.drop(direction)),
  'link-slow': async ({ proxies }, random) => {
    for (const proxy of proxies) proxy.oneWay = 1 + random.below(SLOW_MS)
    await delay(2000)
    for (const proxy of proxies) proxy.oneWay = 0
  },
  'process-killed': async (member, random) => {
    // While links are slow, a kill interrupts more changes.
    const oneWay = random.chance(0.5) ? SLOW_MS : 0
    for (const proxy of member.proxies) proxy.oneWay = oneWay
    await delay(oneWay * 5)
    const restarted = member.restart(random.below(800))
    for (const proxy of member.proxies) proxy.oneWay = 0
    await restarted
  },
  'process-frozen': async (member, random) => {
    member.pause()
    await delay(300 + random.below(2500))
    member.resume()
  },
  'clock-step': async (member, random) => {
    await member.ask('setClock', (random.chance(0.5) ? 1 : -1) * (1000 + random.below(CLOCK_STEP_MS)))
    await delay(1500)
    await member.ask('setClock', 0)
  },
}

/** The names of the faults under which all promises hold. */
export function faultsOf({ faults, beyond }: ProofStore): string[] {
  return [...Object.keys(OF_MEMBER), ...Object.keys(faults).filter((name) => !beyond.includes(name))]
}

/** Injects faults until the run is over. Each of the names comes in a random order, before any comes again. */
export async function injectFaults(options: {
  readonly names: readonly string[]
  readonly store: ProofStore
  readonly fleet: Fleet
  readonly random: Random
  readonly onFault: (fault: Fault) => void
  readonly isOver: () => boolean
}): Promise<void> {
  const { names, store, fleet, random, onFault, isOver } = options
  let left: string[] = []
  if (names.length === 0) return
  for (await delay(1500); !isOver(); await delay(300 + random.below(1500))) {
    if (left.length === 0) left = [...names]
    const what = random.pick(left)
    left.splice(left.indexOf(what), 1)
    const member = random.pick(fleet.members)
    const ofStore = store.faults[what]
    const from = performance.now()
    await (ofStore ? ofStore(random) : OF_MEMBER[what]?.(member, random))
    const all = fleet.members.map(({ number }) => number)
    onFault({ what, processes: ofStore ? all : affectedBy(member, fleet), from, to: performance.now() })
  }
}

/** A process without its link to the store does not serve the API that follows it. A clock takes nothing away. */
function affectedBy({ number }: Member, { members, services }: Fleet): number[] {
  const followers = members.filter((each) => !each.isService).map((each) => each.number)
  return number === services[0]?.number ? [number, ...followers] : [number]
}

async function onLinks(
  { proxies }: Member,
  random: Random,
  begin: (proxy: TcpProxy, direction: Direction) => () => void,
): Promise<void> {
  const direction = random.pick(['up', 'down'] as const)
  const ends = proxies.map((proxy) => begin(proxy, direction))
  await delay(300 + random.below(2500))
  for (const end of ends) end()
}
