import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CircuitOpenError } from '../../../src/store/circuit-breaker.ts'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { createTokenFamilies, type TokenFamilies } from '../../../src/grants/refresh-tokens/token-families.ts'
import { createGracePeriod } from '../../../src/grants/refresh-tokens/grace-period.ts'
import { createRefreshTokenFormat } from '../../../src/grants/refresh-tokens/token-format.ts'
import { replicatedStore, type ReplicatedStore } from '../../support/replicated-store.ts'

const TTL = 1000
const format = createRefreshTokenFormat([randomBytes(32)])
const gracePeriod = createGracePeriod({ seconds: 60, keys: [randomBytes(32)] })
const TOO_FEW = 'too few replicas have it'

const opened: TokenFamilies[] = []
function open(store: Store, options: { gracePeriod?: typeof gracePeriod } = {}): TokenFamilies {
  const families = createTokenFamilies(store, format, { tombstoneTtl: 120, ...options })
  opened.push(families)
  return families
}
afterEach(() => opened.splice(0).forEach((families) => families.close()))

/**
 * Refreshes as a request does.
 *
 * @returns the next token; undefined if `token` is rejected
 * @throws if the client must retry
 */
async function refresh(families: TokenFamilies, token: string, next: string): Promise<string | undefined> {
  const found = await families.find(token)
  if (!found) return undefined
  return (await families.rotate(found, next, { scope: 'a' }, TTL))?.next
}

let db: ReplicatedStore
let grantId: string
const mint = (generation: number) => format.mint({ grantId, generation })
beforeEach(() => {
  db = replicatedStore()
  grantId = randomUUID()
})

/** Wraps a store, so that each call of the method `name` first calls `before` with the number of the call. */
function watching(store: Store, name: 'create' | 'replace', before: (count: number) => void): Store {
  let count = 0
  return {
    ...store,
    [name]: (...args: Parameters<Store['replace']>) => {
      before((count += 1))
      return (store[name] as Store['replace'])(...args)
    },
  }
}

describe('a write that too few replicas have', () => {
  it('a rotation fails if too few replicas have it, although the rotation can be read, and the old token stays usable', async () => {
    const families = open(db.durable)
    const [first, second, third] = [mint(0), mint(1), mint(1)]
    await families.start(first, {}, TTL)
    db.replicates = false
    await expect(refresh(families, first, second)).rejects.toThrow(TOO_FEW)
    await expect(refresh(families, first, third)).rejects.toThrow(TOO_FEW)
    db.replicates = true
    expect(await refresh(families, first, third)).toBe(third)
    expect(await families.find(second)).toBeUndefined()
  })

  it('a rotation that a later write makes durable succeeds, and survives a failover', async () => {
    const store = watching(db.durable, 'replace', (count) => (db.replicates = count > 1))
    const families = open(store)
    const [first, second] = [mint(0), mint(1)]
    await families.start(first, {}, TTL)
    expect(await refresh(families, first, second)).toBe(second)
    db.failOver()
    expect(await families.find(second)).toMatchObject({ state: 'current' })
  })

  it('after a start that too few replicas have, the family can be started exactly once', async () => {
    const families = open(db.durable)
    db.replicates = false
    await expect(families.start(mint(0), {}, TTL)).rejects.toThrow(TOO_FEW)
    await expect(families.start(mint(0), {}, TTL)).rejects.toThrow(TOO_FEW)
    db.replicates = true
    const last = mint(0)
    expect(await families.start(last, {}, TTL)).toBe(true)
    expect(await families.start(mint(0), {}, TTL)).toBe(false)
    db.failOver()
    expect(await families.find(last)).toMatchObject({ state: 'current' })
  })

  it('a rollback fails if too few replicas have it, and the old token works after a failover', async () => {
    let isAnswered = true
    const families = open({
      ...db.durable,
      async replace(...args) {
        const isDone = await db.durable.replace(...args)
        if (isAnswered) return isDone
        isAnswered = true
        db.replicates = false
        throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'the replica has it, and no answer came')
      },
    })
    const [first, second, third] = [mint(0), mint(1), mint(1)]
    await families.start(first, {}, TTL)
    isAnswered = false
    await expect(refresh(families, first, second)).rejects.toThrow('no answer came')
    // The rollback can be read, but the replica does not have it.
    for (let times = 0; times < 3; times += 1) await expect(families.find(first)).rejects.toThrow(TOO_FEW)
    db.failOver()
    db.replicates = true
    expect(await refresh(families, first, third)).toBe(third)
  })

  it('a rollback is not complete as long as only the server has the rotation of another process that follows it', async () => {
    let isAnswered = true
    const here = open({
      ...db.durable,
      async replace(...args) {
        const isDone = await db.durable.replace(...args)
        if (isAnswered) return isDone
        isAnswered = true
        db.replicates = false
        throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'the replica has it, and no answer came')
      },
    })
    const there = open(db.durable)
    const [first, second, third] = [mint(0), mint(1), mint(1)]
    await here.start(first, {}, TTL)
    isAnswered = false
    // The replica gets the rotation, but none of the writes that follow it.
    await expect(refresh(here, first, second)).rejects.toThrow('no answer came')
    await expect(here.find(first)).rejects.toThrow(TOO_FEW)
    await expect(refresh(there, first, third)).rejects.toThrow(TOO_FEW)
    await here.find(first).catch(() => {})
    db.failOver()
    db.replicates = true
    await delay(600)
    expect(await there.find(first)).toMatchObject({ state: 'current' })
  })

  it('a retry gets the successor only after the rotation is durable', async () => {
    const [here, there] = [open(db.durable, { gracePeriod }), open(db.durable, { gracePeriod })]
    const [first, second] = [mint(0), mint(1)]
    await here.start(first, {}, TTL)
    db.replicates = false
    await expect(refresh(here, first, second)).rejects.toThrow(TOO_FEW)
    for (let times = 0; times < 3; times += 1) {
      await expect(refresh(there, first, mint(1))).rejects.toThrow(TOO_FEW)
    }
    db.failOver()
    db.replicates = true
    const next = await refresh(there, first, mint(1))
    expect(next).toBeDefined()
    expect(await there.find(next ?? '')).toMatchObject({ state: 'current' })
  })
})

it('a write that the store never received is not rolled back', async () => {
  const cause = new GatehouseError('ERR_STORE_UNAVAILABLE', 'away')
  const families = open(db.store)
  const [first, second] = [mint(0), mint(1)]
  await families.start(first, {}, TTL)
  let reads = 0
  const cutOff = open({
    ...db.store,
    get: (key) => {
      reads += 1
      return db.store.get(key)
    },
    create: () => Promise.reject(new CircuitOpenError('cut off', cause)),
    replace: () => Promise.reject(new CircuitOpenError('cut off', cause)),
  })
  await expect(refresh(cutOff, first, second)).rejects.toBeInstanceOf(CircuitOpenError)
  await expect(cutOff.start(mint(0), {}, TTL)).rejects.toBeInstanceOf(CircuitOpenError)
  await delay(250)
  expect(reads).toBe(1)
})

/** One event in a test with two processes and one client. */
type Step =
  | { readonly what: 'refresh'; readonly at: 0 | 1 }
  | { readonly what: 'replicas'; readonly are: boolean }
  | { readonly what: 'lose the server' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('refresh' as const),
      at: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('replicas' as const), are: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('lose the server' as const) }) },
)

it('after any sequence of failovers and lagging replicas, a client can use the last token that it received', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (all) => {
      db = replicatedStore()
      grantId = randomUUID()
      const processes = [open(db.durable, { gracePeriod }), open(db.durable, { gracePeriod })] as const
      let [token, generation] = [mint(0), 0]
      await processes[0].start(token, {}, TTL)
      const answers: string[] = [token]

      async function take(next: Step): Promise<void> {
        if (next.what === 'replicas') db.replicates = next.are
        else if (next.what === 'lose the server') db.failOver()
        else {
          const answer = await refresh(processes[next.at], token, mint(generation + 1)).catch(() => 'away')
          if (answer === 'away') return
          expect({ answer, at: answers.length }).toEqual({ answer: expect.any(String), at: answers.length })
          token = answer ?? ''
          generation += 1
          answers.push(token)
        }
      }

      for (const next of all) await take(next)
      db.replicates = true
      for (const at of [0, 1, 0] as const) await take({ what: 'refresh', at })
      // All received tokens differ, and the last received token is current.
      expect(new Set(answers).size).toBe(answers.length)
      expect((await processes[1].find(token))?.state).toBe('current')
      expect(answers.length).toBeGreaterThanOrEqual(4)
      for (const families of processes) families.close()
    }),
    { numRuns: 150 },
  )
})
