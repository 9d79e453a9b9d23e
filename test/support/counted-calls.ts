import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from 'koa-gatehouse'

const WRITES = new Set(['set', 'create', 'replace', 'delete', 'add', 'remove', 'publish'])
const READS = new Set(['get', 'getMany', 'range'])

/** Milliseconds without a new call after which the waiting calls are sent together, as one round trip. */
const QUIET_MS = 3

/** Milliseconds without a call after which a change has done everything, also what it does after its answer. */
const DONE_MS = 20

/** What a change asked of the store. */
export interface CountedCalls {
  /** Also those that follow the answer. */
  readonly writes: number
  /** Calls that were sent at the same time count as one. */
  readonly roundTripsBeforeAnswer: number
  readonly roundTrips: readonly (readonly string[])[]
}

/** A store that sends calls in rounds, and counts them. */
export function countedCalls(inner: Store) {
  let isCounting = false
  let waiting: { readonly call: string; readonly send: () => void }[] = []
  let rounds: string[][] = []
  let timer: NodeJS.Timeout | undefined

  function sendRound(): void {
    const round = waiting.splice(0)
    rounds.push(round.map(({ call }) => call))
    for (const { send } of round) send()
  }

  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        if (isCounting && (WRITES.has(name) || READS.has(name))) {
          await new Promise<void>((send) => {
            waiting.push({ call: `${name} ${String(args[0])}`, send })
            clearTimeout(timer)
            timer = setTimeout(sendRound, QUIET_MS)
          })
        }
        return Reflect.apply(method, target, args) as unknown
      }
    },
  })

  return {
    store,
    async of(change: () => Promise<unknown>): Promise<CountedCalls> {
      isCounting = true
      rounds = []
      await change()
      const roundTripsBeforeAnswer = rounds.length
      let seen: number
      do {
        seen = rounds.length
        await delay(DONE_MS)
      } while (rounds.length > seen || waiting.length > 0)
      isCounting = false
      const writes = rounds.flat().filter((call) => WRITES.has(call.split(' ')[0] ?? '')).length
      return { writes, roundTripsBeforeAnswer, roundTrips: rounds }
    },
  }
}
