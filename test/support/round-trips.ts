import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { startTcpProxy } from './tcp-proxy.ts'

/** Commands that were sent together, before the first answer to one of them: `get client`, `evalsha grant`, … */
export type RoundTrip = readonly string[]

/** A long way to a Redis, on which is seen what is sent together. */
export interface LongWay {
  /** Where clients connect. */
  readonly port: number
  /**
   * The round trips that something makes, as the server sees them (MONITOR). What every process does now and then by
   * itself is left out.
   */
  of(work: () => Promise<unknown>): Promise<RoundTrip[]>
  close(): Promise<void>
}

/** Milliseconds that data is on the way in each direction while round trips are counted. */
const ONE_WAY = 20

/** Milliseconds: longer than what is sent together is apart, shorter than an answer and the next command take. */
const TOGETHER = 30

/** Kinds of records that processes look at by themselves, and no request does. */
const BY_ITSELF = new Set(['signing-keys', 'catalog', 'revocations', 'begun', 'in-use'])

/** @param server port of the Redis */
export async function startLongWay(server: { readonly port: number }): Promise<LongWay> {
  const proxy = await startTcpProxy(server.port)
  const control = new Redis(server.port)
  const monitor = await control.monitor()
  const ends = new Map<string, () => void>()
  const seen: { at: number; command: string }[] = []
  monitor.on('monitor', (time: string, [name = '', ...args]: string[], source: string) => {
    ends.get(args[0] ?? '')?.()
    // What a script does is done within its command; and this asks too.
    if (source === 'lua' || name === 'echo') return
    const kind = kindOf(name, args)
    if (!BY_ITSELF.has(kind)) seen.push({ at: Number(time) * 1000, command: `${name} ${kind}`.trim() })
  })

  /** Settles when all has arrived that was sent until now, and has been seen. */
  async function allSeen(): Promise<void> {
    do {
      await delay(ONE_WAY)
      await delay(ONE_WAY)
    } while (proxy.onTheWay > 0)
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
      proxy.oneWay = ONE_WAY
      await work()
      // Also what nobody waits for.
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
    if (at - before > TOGETHER) trips.push([])
    trips.at(-1)?.push(command)
    before = at
  }
  return trips.map((trip) => trip.toSorted())
}

/** Of `prefix:kind:id` the kind. The keys of a script come after its digest and their number. */
function kindOf(name: string, args: readonly string[]): string {
  const key = name.startsWith('eval') ? args[2] : args[0]
  return key?.split(':')[1] ?? ''
}
