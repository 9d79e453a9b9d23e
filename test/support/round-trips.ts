import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import type { Store } from '../../src/store/contract.ts'
import { startRedis } from './redis-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Commands that a client sent together, before the first answer: `get client`, `evalsha grant`, … */
export type RoundTrip = readonly string[]

/** A slow link to a Redis, which shows the commands that are sent together. */
export interface SlowLink {
  /** The port that clients connect to. */
  readonly port: number
  /**
   * Runs `work` and returns its round trips, as the server sees them (MONITOR). Commands of periodic work are
   * omitted.
   */
  of(work: () => Promise<unknown>): Promise<RoundTrip[]>
  close(): Promise<void>
}

/** Milliseconds that data takes in each direction while round trips are counted. */
const ONE_WAY_MS = 20

/**
 * Two commands that are more than this number of milliseconds apart belong to different round trips. Commands
 * of one round trip are closer together, and an answer and the next command take longer.
 */
const ROUND_TRIP_GAP_MS = 30

/** Kinds of records that only the periodic work of a process reads. No request reads these records. */
const PERIODIC_KINDS = new Set(['signing-keys', 'catalog', 'revocations'])

/**
 * Starts a slow link to a Redis.
 *
 * @param server the port of the Redis
 */
export async function startSlowLink(server: { readonly port: number }): Promise<SlowLink> {
  const proxy = await startTcpProxy(server.port)
  const control = new Redis(server.port)
  // ioredis takes a command that the server reports before its answer to MONITOR for that answer.
  await control.ping()
  const monitor = await control.monitor()
  const ends = new Map<string, () => void>()
  const seen: { at: number; command: string }[] = []
  monitor.on('monitor', (time: string, [name = '', ...args]: string[], source: string) => {
    ends.get(args[0] ?? '')?.()
    // Not recorded are commands inside a script, the ECHO of `allSeen()`, and what asks for the clock of the store: a process does
    // that in the background, when its own clock was set.
    if (source === 'lua' || ['echo', 'info', 'time'].includes(name.toLowerCase())) return
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

/** A store whose Redis is behind a slow link. */
export interface SlowStore extends Pick<SlowLink, 'of' | 'close'> {
  readonly store: Store
}

/** Starts a Redis, a slow link to it, and a store behind the link. */
export async function startSlowStore(options: RedisOptions = {}): Promise<SlowStore> {
  const server = await startRedis()
  const link = await startSlowLink(server)
  const redis = new Redis(link.port, options)
  return {
    store: redisStore(redis),
    of: (work) => link.of(work),
    async close() {
      redis.disconnect()
      await link.close()
      await server.stop()
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
 * The kind in a key `prefix:kind:id`. The arguments of a script are its digest, the number of its keys, and
 * its keys.
 */
function kindOf(name: string, args: readonly string[]): string {
  const key = name.startsWith('eval') ? args[2] : args[0]
  return key?.split(':')[1] ?? ''
}
