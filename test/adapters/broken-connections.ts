import type { Store } from '../../src/store/contract.ts'
import type { StoreContractOptions } from '../../src/testing/store-contract.ts'

/** What a store reaches its database through. */
export interface Line {
  cut: boolean
  /** How often it was cut. */
  losses: number
}

/** A store that does something else than it should when its database is away. */
export interface Liar {
  readonly lies: string
  readonly lie: (good: Store, line: Line) => Partial<Store>
  /** The beginning of the case's name. */
  readonly noticedBy: string
  /** A part of what the case says. */
  readonly message: string
  /** How it is cut off, where that is not how others are. */
  readonly connection?: Pick<StoreContractOptions, 'breakConnection'>
}

/** Answers of which each looks as if the database had given it. */
const ANSWERS: Partial<Record<keyof Store, unknown>> = {
  get: undefined,
  getMany: [undefined],
  set: undefined,
  create: false,
  replace: false,
  delete: false,
  add: undefined,
  remove: undefined,
  range: [],
  publish: undefined,
  subscribe: async () => {},
  ping: undefined,
}

const REJECTS = 'without its database a store rejects every call'
const CLOSES = 'without its database a store can be closed'
const RETURNS = 'once its database is there again'

/** Stores that break a promise about a database that is away. */
export const liars: readonly Liar[] = [
  ...Object.entries(ANSWERS).map(([method, answer]): Liar => ({
    lies: `${method} answers by itself`,
    lie: (good, line) => ({
      [method]: async (...args: unknown[]): Promise<unknown> =>
        line.cut ? answer : Reflect.apply(good[method as 'get'] as () => unknown, good, args),
    }),
    noticedBy: REJECTS,
    message: `store: ${method} has resolved without a database`,
  })),
  {
    lies: 'create says that the name is free',
    lie: (good, line) => ({ create: async (...call) => line.cut || good.create(...call) }),
    noticedBy: REJECTS,
    message: 'store: create has resolved without a database',
  },
  {
    lies: 'ping waits for ever',
    lie: (good, line) => ({ ping: () => (line.cut ? new Promise(() => {}) : good.ping()) }),
    noticedBy: REJECTS,
    message: 'ping has not settled without a database',
  },
  {
    lies: 'get throws instead of rejecting',
    lie: (good, line) => ({
      get: (key) => {
        if (line.cut) throw new Error('no connection')
        return good.get(key)
      },
    }),
    noticedBy: REJECTS,
    message: 'get has thrown without a database',
  },
  {
    lies: 'get rejects with a text',
    lie: (good, line) => ({
      // oxlint-disable-next-line prefer-promise-reject-errors -- that is the lie
      get: (key) => (line.cut ? Promise.reject('no connection') : good.get(key)),
    }),
    noticedBy: REJECTS,
    message: 'get rejects with something that is no Error',
  },
  {
    lies: 'what is durable answers by itself',
    lie: (good) => ({
      // No spread: the methods of a proxy are no properties of its own.
      durable: new Proxy(good, {
        get: (target, method: keyof Store) => (method === 'get' ? async () => undefined : target[method]),
      }),
    }),
    noticedBy: REJECTS,
    message: 'durable: get has resolved without a database',
  },
  {
    lies: 'close waits for its database',
    lie: (good, line) => ({ close: () => (line.cut ? new Promise(() => {}) : good.close()) }),
    noticedBy: CLOSES,
    message: 'close has not settled without a database',
  },
  {
    lies: 'close fails',
    lie: (good, line) => ({
      close: () => (line.cut ? Promise.reject(new Error('no connection')) : good.close()),
    }),
    noticedBy: CLOSES,
    message: 'close has rejected without a database',
  },
  {
    lies: 'a subscription ends with its connection',
    lie: (good, line) => ({
      subscribe: (channel, listener) => {
        const { losses } = line
        return good.subscribe(channel, (message) => (line.losses > losses ? undefined : listener(message)))
      },
    }),
    noticedBy: RETURNS,
    message: 'a subscription did not survive a lost connection',
  },
  {
    lies: 'a subscription that could not begin is thought to have begun',
    lie: (good) => {
      const begun = new Set<string>()
      return {
        subscribe: async (channel, listener) => {
          if (begun.has(channel)) return async () => {}
          begun.add(channel)
          return good.subscribe(channel, listener)
        },
      }
    },
    noticedBy: RETURNS,
    message: 'hello',
  },
  {
    lies: 'what it was cut off from is still there',
    lie: () => ({}),
    noticedBy: REJECTS,
    message: 'get has resolved without a database',
    connection: { breakConnection: () => () => {} },
  },
]
