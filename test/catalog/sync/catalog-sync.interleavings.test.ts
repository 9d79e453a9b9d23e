import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { ProductDefinitions, Store } from 'koa-gatehouse'
import {
  productScopesOf,
  isSameAs,
  missingFrom,
  scopesOf,
  type ProductScopes,
} from '../../../src/catalog/product-scopes.ts'
import { createProcess, productsNamed } from './processes.ts'

/** Any of three products, each with any of three operations. The products share the operation `shared`. */
const someProducts = fc
  .tuple(
    ...['a', 'b', 'c'].map((id) =>
      fc
        .subarray(['read', 'write', '@shared'])
        .map((operations) => (operations.length === 0 ? [] : [`${id}:${operations.join('+')}`])),
    ),
  )
  .map((products) => productsNamed(...products.flat()))

const process = fc.nat({ max: 5 })
const anyEvent = fc.oneof(
  { weight: 2, arbitrary: fc.record({ type: fc.constant('start' as const), own: fc.option(someProducts) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('reload' as const), process, to: someProducts }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('poll' as const), process }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('kill' as const), process }) },
)
/**
 * The number of steps between two events. After few steps, work is still pending when the next event happens.
 * After many steps, the work is usually finished.
 */
const steps = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 40 }))
const anyEvents = fc.array(fc.record({ event: anyEvent, steps }), { minLength: 2, maxLength: 10 })

interface Token {
  readonly scopesByProduct: ProductScopes
  readonly scopes: readonly string[]
  readonly epoch: number
}

/** Creates processes on one store. The scheduler decides when each call, message and load happens. */
function createWorld(scheduler: fc.Scheduler) {
  const inner = memoryStore()
  const history: { epoch: number; products: ProductScopes; isCurrent: boolean }[] = []
  /** All products that the database has contained since the record was last written. */
  let since: ProductDefinitions[] = []
  const tokens = new Map<object, Token>()
  const running: Running[] = []
  const leavers: (() => Promise<void>)[] = []
  let inDatabase: ProductDefinitions = {}

  const turn = () => scheduler.schedule(Promise.resolve())

  async function load() {
    await turn()
    const read = inDatabase
    await turn()
    return read
  }

  function start(own: ProductDefinitions | null) {
    const state = { isKilled: false, isReady: false, missed: new Set<() => void>() }
    const store = new Proxy(inner, {
      get(target, name: keyof Store) {
        const member = target[name]
        if (typeof member !== 'function') return member
        return async (...args: unknown[]) => {
          await turn()
          if (state.isKilled) throw new Error('killed')
          if (name === 'subscribe') {
            const [channel, listener, missed] = args as Parameters<Store['subscribe']>
            if (channel === 'catalog' && missed) state.missed.add(missed)
            return inner.subscribe(channel, (message) => void turn().then(() => listener(message)))
          }
          const answer = await (Reflect.apply(member, target, args) as Promise<unknown>)
          const written = args.findLast((arg) => typeof arg === 'string')
          if (args[0] === 'catalog:products' && written !== undefined && answer === true) {
            const record = JSON.parse(written) as { epoch: number; products: ProductScopes }
            // A process may write the same products again, so that other processes reload. Such a write
            // restores no old products.
            const before = history.at(-1)?.products ?? {}
            const current = [before, ...(own ? [own] : since).map(definedBy)]
            const isCurrent = current.some((products) => isSameAs(record.products, products))
            history.push({ ...record, isCurrent })
            since = [inDatabase]
          }
          return answer
        }
      },
    })
    // The audit trail waits for timers, which the scheduler does not know, when processes write at the same time.
    const made = { ...createProcess(store, own ?? load, { auditStore: memoryStore() }), state, own }
    running.push(made)
    void made.start().then(
      (leave) => {
        state.isReady = true
        leavers.push(leave)
      },
      () => (state.isKilled = true),
    )
    return made
  }

  /**
   * Each running process whose current catalog has no token yet issues a token with all operations of this
   * catalog.
   */
  function issue() {
    for (const { catalog, state } of running) {
      if (!state.isReady || state.isKilled || tokens.has(catalog.current)) continue
      const { operations, epoch } = catalog.current
      tokens.set(catalog.current, {
        scopesByProduct: productScopesOf(catalog.current),
        scopes: [...operations.keys()],
        epoch,
      })
    }
  }

  async function step() {
    if (scheduler.count() > 0) await scheduler.waitOne()
    issue()
  }

  async function settle() {
    // Work outside the scheduler takes one or two turns of the event loop, or waits for the shortest timer after a
    // conflict. So after three such timers without scheduled work, no work is left.
    for (let idle = 0; idle < 3; idle += 1) {
      await delay(1)
      if (scheduler.count() > 0) idle = 0
      while (scheduler.count() > 0) await step()
    }
  }

  return {
    history,
    tokens,
    start,
    step,
    settle,
    runningProcesses: () => running.filter(({ state }) => !state.isKilled),
    /** Ends the timers of all processes, so that they do not run on beside later tests. */
    leave: () => leavers.forEach((leave) => void leave()),
    at: (index: number) => running[index % Math.max(1, running.length)],
    change(products: ProductDefinitions) {
      inDatabase = products
      since.push(products)
    },
  }
}

type Running = ReturnType<typeof createProcess> & {
  state: { isKilled: boolean; isReady: boolean; missed: Set<() => void> }
  own: ProductDefinitions | null
}

const definedBy = (products: ProductDefinitions): ProductScopes =>
  Object.fromEntries(Object.entries(products).map(([id, { operations }]) => [id, Object.keys(operations)]))

const poll = ({ state }: Running) => {
  for (const missed of state.missed) missed()
}

it('however the calls of several processes interleave, no process keeps a withdrawn operation, tokens with withdrawn operations are revoked, and new tokens are valid', async () => {
  // The pauses after conflicts are as short as they can be.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), anyEvents, fc.boolean(), async (scheduler, events, endsWithStart) => {
      const world = createWorld(scheduler)
      let publications = 2
      world.change(productsNamed('a'))
      world.start(null)
      world.start(null)
      await world.settle()
      for (const { event, steps } of events) {
        const subject = 'process' in event ? world.at(event.process) : undefined
        if (event.type === 'start') {
          world.start(event.own)
          publications += 1
        }
        if (event.type === 'kill' && subject) subject.state.isKilled = true
        if (event.type === 'poll' && subject) poll(subject)
        if (event.type === 'reload' && subject?.state.isReady) {
          world.change(event.to)
          publications += 1
          subject.sync.reload().catch(() => {})
        }
        for (let count = 0; count < steps; count += 1) await world.step()
      }
      await world.settle()
      if (endsWithStart || world.runningProcesses().length === 0) {
        world.start(null)
        publications += 1
        await world.settle()
      }
      for (const process of world.runningProcesses()) poll(process)
      await world.settle()

      const { products, epoch } = world.history.at(-1)!
      const tokens = [...world.tokens.values()]
      for (const { catalog, own, issue, rejects } of world.runningProcesses()) {
        // Processes that load from the same database have the same operations. A process with its own
        // products has the operations that are both in its own products and in the record.
        const mine = productScopesOf({ products: catalog.current.products })
        expect(missingFrom(products, mine)).toEqual([])
        const withheld = missingFrom(mine, catalog.loadedScopes)
        for (const { product, scope } of withheld) expect(scopesOf(products, product)).not.toContain(scope)
        if (own === null && endsWithStart) {
          expect(isSameAs(mine, catalog.loadedScopes)).toBe(true)
          expect(isSameAs(mine, products)).toBe(true)
        }
        expect(catalog.current.epoch).toBe(epoch)
        expect(rejects(issue())).toBe(false)

        for (const token of tokens) {
          const isWithdrawn = missingFrom(products, token.scopesByProduct).length > 0
          if (isWithdrawn) expect(rejects(token)).toBe(true)
          if (token.epoch === epoch) expect(rejects(token)).toBe(false)
        }
      }
      // No process restores old products, and there are no more writes than starts and reloads.
      expect(world.history.filter(({ isCurrent }) => !isCurrent)).toEqual([])
      expect(world.history.length).toBeLessThanOrEqual(publications)
      // Each catalog of a process had only operations that a record of the same epoch contains.
      for (const token of tokens) {
        const published = world.history.filter((record) => record.epoch === token.epoch)
        expect(
          published.some((record) => missingFrom(record.products, token.scopesByProduct).length === 0),
        ).toBe(true)
      }
      world.leave()
    }),
    { numRuns: 30 },
  )
  random.mockRestore()
})
