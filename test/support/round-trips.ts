import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startTcpProxy } from './tcp-proxy.ts'

/** Commands that a client sent together, before the first answer: `get client`, `evalsha grant`, … */
export type RoundTrip = readonly string[]

/** A slow link to a Redis, which shows the commands that are sent together. */
export interface SlowLink {
  /** The port that clients connect to. */
  readonly port: number
  /**
   * The round trips of `work`, as the server sees them (MONITOR). The periodic work of a process is left out.
   */
  of(work: () => Promise<unknown>): Promise<RoundTrip[]>
  close(): Promise<void>
}

/** Milliseconds that data takes in each direction while round trips are counted. */
const ONE_WAY_MS = 20

/**
 * Milliseconds between two commands above which they belong to different round trips. The gap within a round trip is
 * shorter; an answer and the next command take longer.
 */
const ROUND_TRIP_GAP_MS = 30

/** Kinds of records that periodic work reads, and no request. */
const PERIODIC_KINDS = new Set(['signing-keys', 'catalog', 'revocations'])

/** @param server port of the Redis */
export async function startSlowLink(server: { readonly port: number }): Promise<SlowLink> {
  const proxy = await startTcpProxy(server.port)
  const control = new Redis(server.port)
  const monitor = await control.monitor()
  const ends = new Map<string, () => void>()
  const seen: { at: number; command: string }[] = []
  monitor.on('monitor', (time: string, [name = '', ...args]: string[], source: string) => {
    ends.get(args[0] ?? '')?.()
    // Leave out commands inside a script, and the ECHO of `allSeen()`.
    if (source === 'lua' || name === 'echo') return
    const kind = kindOf(name, args)
    if (!PERIODIC_KINDS.has(kind)) seen.push({ at: Number(time) * 1000, command: `${name} ${kind}`.trim() })
  })

  /** Settles when the monitor has seen all commands that were sent until now. */
  async function allSeen(): Promise<void> {
    do {
      await delay(ONE_WAY_MS)
      await delay(ONE_WAY_MS)
    } while (proxy.inTransit > 0)
    const end = randomUUID()
    const isSeen = new Promise<void>((resolve) => ends.set(end, resolve))
    await Promise.all([control.echo(end), isSeen])
    ends.delete(end)
  }

  return {
    port: proxy.port,
    async of(work) {
      await allSeen()
      seen.length = 0
      proxy.oneWay = ONE_WAY_MS
      await work()
      // Waits for all commands, also for commands whose answer `work` does not await.
      await allSeen()
      proxy.oneWay = 0
      return grouped(seen.splice(0))
    },
    async close() {
      monitor.disconnect()
      control.disconnect()
      await proxy.close()
    },
  }
}

function grouped(seen: readonly { readonly at: number; readonly command: string }[]): RoundTrip[] {
  const trips: string[][] = []
  let before = -Infinity
  for (const { at, command } of seen) {
    if (at - before > ROUND_TRIP_GAP_MS) trips.push([])
    trips.at(-1)?.push(command)
    before = at
  }
  return trips.map((trip) => trip.toSorted())
}

/**
 * The kind in a key `prefix:kind:id`. The arguments of a script are its digest, the number of its keys, and its keys.
 */
function kindOf(name: string, args: readonly string[]): string {
  const key = name.startsWith('eval') ? args[2] : args[0]
  return key?.split(':')[1] ?? ''
}
