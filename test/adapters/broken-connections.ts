import type { Store } from '../../src/store/contract.ts'
import type { StoreContractOptions } from '../../src/testing/store-contract.ts'

/** The connection of a store to its database. */
export interface Connection {
  cut: boolean
  /** How often the connection was cut. */
  losses: number
}

/** A store that misbehaves while its database is unreachable. */
export interface FaultyConnection {
  readonly breaks: string
  readonly methods: (intact: Store, connection: Connection) => Partial<Store>
  /** The beginning of the name of the case that notices the fault. */
  readonly noticedBy: string
  /** A part of the case's error message. */
  readonly message: string
  /** Replaces the usual way to cut the connection. */
  readonly overrides?: Pick<StoreContractOptions, 'breakConnection'>
}

/** For each method, a value that looks like an answer of the database. */
const PLAUSIBLE_ANSWERS: Partial<Record<keyof Store, unknown>> = {
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
const RETURNS = 'once its database is available again'

/** Stores that break a promise about an unreachable database. */
export const faultyConnections: readonly FaultyConnection[] = [
  ...Object.entries(PLAUSIBLE_ANSWERS).map(([method, answer]): FaultyConnection => ({
    breaks: `${method} answers without the database`,
    methods: (intact, connection) => ({
      [method]: async (...args: unknown[]): Promise<unknown> =>
        connection.cut ? answer : Reflect.apply(intact[method as 'get'] as () => unknown, intact, args),
    }),
    noticedBy: REJECTS,
    message: `store: ${method} has resolved without a database`,
  })),
  {
    breaks: 'create answers true without the database',
    methods: (intact, connection) => ({
      create: async (...call) => connection.cut || intact.create(...call),
    }),
    noticedBy: REJECTS,
    message: 'store: create has resolved without a database',
  },
  {
    breaks: 'ping never settles',
    methods: (intact, connection) => ({
      ping: () => (connection.cut ? new Promise(() => {}) : intact.ping()),
    }),
    noticedBy: REJECTS,
    message: 'ping has not settled without a database',
  },
  {
    breaks: 'get throws instead of rejecting',
    methods: (intact, connection) => ({
      get: (key) => {
        if (connection.cut) throw new Error('no connection')
        return intact.get(key)
      },
    }),
    noticedBy: REJECTS,
    message: 'get has thrown without a database',
  },
  {
    breaks: 'get rejects with a text',
    methods: (intact, connection) => ({
      // The case must notice a rejection with a text instead of an Error.
      get: (key) => (connection.cut ? Promise.reject('no connection') : intact.get(key)),
    }),
    noticedBy: REJECTS,
    message: 'get rejects with something other than an Error',
  },
  {
    breaks: 'the durable store answers without the database',
    methods: (intact) => ({
      // Every method but `get` still rejects without the database.
      durable: new Proxy(intact, {
        get: (target, method: keyof Store) => (method === 'get' ? async () => undefined : target[method]),
      }),
    }),
    noticedBy: REJECTS,
    message: 'durable: get has resolved without a database',
  },
  {
    breaks: 'close waits for the database',
    methods: (intact, connection) => ({
      close: () => (connection.cut ? new Promise(() => {}) : intact.close()),
    }),
    noticedBy: CLOSES,
    message: 'close has not settled without a database',
  },
  {
    breaks: 'close fails without the database',
    methods: (intact, connection) => ({
      close: () => (connection.cut ? Promise.reject(new Error('no connection')) : intact.close()),
    }),
    noticedBy: CLOSES,
    message: 'close has rejected without a database',
  },
  {
    breaks: 'a subscription ends when its connection is lost',
    methods: (intact, connection) => ({
      subscribe: (channel, listener) => {
        const { losses } = connection
        return intact.subscribe(channel, (message) =>
          connection.losses > losses ? undefined : listener(message),
        )
      },
    }),
    noticedBy: RETURNS,
    message: 'a subscription did not survive a lost connection',
  },
  {
    breaks: 'a failed subscription counts as active',
    methods: (intact) => {
      const active = new Set<string>()
      return {
        subscribe: async (channel, listener) => {
          if (active.has(channel)) return async () => {}
          active.add(channel)
          return intact.subscribe(channel, listener)
        },
      }
    },
    noticedBy: RETURNS,
    message: 'hello',
  },
  {
    breaks: 'breakConnection cuts nothing, so the database stays reachable',
    methods: () => ({}),
    noticedBy: REJECTS,
    message: 'get has resolved without a database',
    overrides: { breakConnection: () => () => {} },
  },
]
