import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import type { GatehouseErrorCode } from '../../src/errors.ts'
import type { Store } from '../../src/store/contract.ts'
import { describeOnEachStore, services, type Stores } from './setup.ts'

/** The time at which the clock is frozen. */
export const START = Date.UTC(2030, 0, 1, 10, 30)

/** The context of a suite about clients of one kind. */
export interface EachKind {
  readonly kind: 'apiKey' | 'application'
  readonly stores: Stores
  /** Starts a process. Its `service` manages clients of the kind under test. */
  start: typeof start
  /** Creates a client of the kind under test, and clears the recorded events. */
  created: typeof created
  /** Starts a process, and creates a client in it. */
  withClient: typeof withClient
}

type Process = ReturnType<typeof start>

function start(this: EachKind, store = this.stores.open(), options?: Parameters<typeof services>[1]) {
  const all = services(store, options)
  return { ...all, service: this.kind === 'apiKey' ? all.apiKeys : all.applications }
}

async function created(process: Process, input: object = {}) {
  const complete = { accountId: 'acme', name: 'Test', ...input }
  const result = await process.service.create(complete)
  process.emitted.length = 0
  const client = 'apiKey' in result ? result.apiKey : result.application
  return { clientId: client.clientId, client, clientSecret: result.clientSecret }
}

async function withClient(this: EachKind, input?: object, store?: Store) {
  const process = this.start(store)
  return { ...process, ...(await created(process, input)) }
}

/** Runs a suite for API keys, on each store. It is enough where the kind of a client decides nothing. */
export function describeApiKeys(name: string, suite: (context: EachKind) => void): void {
  describeKind(name, 'apiKey', suite)
}

/** Runs a suite for API keys and for applications, whose services have the same methods, on each store. */
export function describeEachKind(name: string, suite: (context: EachKind) => void): void {
  for (const kind of ['apiKey', 'application'] as const) describeKind(`${name} (${kind})`, kind, suite)
}

function describeKind(name: string, kind: EachKind['kind'], suite: (context: EachKind) => void): void {
  describe(name, () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['Date'], now: START })
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    describeOnEachStore('', (stores) => suite({ kind, stores, start, created, withClient }))
  })
}

/** Runs an operation many times concurrently, alternating between two processes. */
export async function atOnce<P>(
  processes: readonly [P, P],
  count: number,
  work: (process: P, index: number) => Promise<unknown>,
): Promise<{ done: number; rejected: number }> {
  const attempts = Array.from({ length: count }, (_, index) =>
    work(processes[index % 2 === 0 ? 0 : 1], index),
  )
  const outcomes = await Promise.allSettled(attempts)
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length
  return { done, rejected: count - done }
}

/** The GatehouseError that a test expects. */
export function failure(code: GatehouseErrorCode, message: unknown = expect.any(String)): Error {
  return expect.objectContaining({ name: 'GatehouseError', code, message }) as Error
}
