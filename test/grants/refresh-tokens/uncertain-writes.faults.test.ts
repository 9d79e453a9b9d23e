import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { createTokenFamilies, type TokenFamilies } from '../../../src/grants/refresh-tokens/token-families.ts'
import { createRefreshTokenFormat } from '../../../src/grants/refresh-tokens/token-format.ts'

const TTL = 1000
const format = createRefreshTokenFormat([randomBytes(32)])

/**
 * Creates a store on a database that can be frozen. While the database is frozen, each call of the store
 * fails. `thaw()` applies the failed writes.
 */
function freezingStore(inner: Store) {
  let frozen = false
  const waiting: (() => Promise<unknown>)[] = []
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        const work = () => Reflect.apply(method, target, args) as Promise<unknown>
        if (!frozen) return work()
        if (name === 'create' || name === 'replace') waiting.push(work)
        throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store did not answer')
      }
    },
  })
  return {
    store,
    freeze: () => void (frozen = true),
    /** Applies the failed writes. `later` milliseconds after that, the database answers again. */
    async thaw(later: number): Promise<void> {
      for (const work of waiting.splice(0)) await work()
      setTimeout(() => (frozen = false), later)
    },
  }
}

let inner: Store
let here: TokenFamilies
let there: TokenFamilies
let db: ReturnType<typeof freezingStore>
let grantId: string
const mint = (generation: number) => format.mint({ grantId, generation })
beforeEach(() => {
  inner = memoryStore()
  db = freezingStore(inner)
  here = createTokenFamilies(db.store, format, { tombstoneTtl: 120 })
  there = createTokenFamilies(inner, format, { tombstoneTtl: 120 })
  grantId = randomUUID()
})
afterEach(() => {
  here.close()
  there.close()
  vi.useRealTimers()
})

async function refresh(families: TokenFamilies, token: string, next: string) {
  const found = await families.findForRotation(token)
  return found && families.rotate(found, next, {}, TTL)
}

describe('a write that a paused database applies late', () => {
  it('a late rotation does not use up the refresh token: a retry at another process gets the next token', async () => {
    const [first, lost, second] = [mint(0), mint(1), mint(1)]
    await here.start(first, {}, TTL)
    const found = await here.findForRotation(first)
    db.freeze()
    await expect(here.rotate(found!, lost, {}, TTL)).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
    })
    await delay(300)
    await db.thaw(300)
    // The late rotation is stored when the client retries. Otherwise the next assertions would prove nothing.
    expect(await there.find(lost)).toMatchObject({ state: 'current' })
    expect(await there.find(first)).toMatchObject({ state: 'used' })
    expect(await refresh(there, first, second)).toEqual({ next: second, isRetry: false })
    expect(await there.find(lost)).toBeUndefined()
  })

  it('a late start of a token family does not use up the authorization code', async () => {
    const [lost, first] = [mint(0), mint(0)]
    db.freeze()
    await expect(here.start(lost, {}, TTL)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
    await delay(300)
    await db.thaw(300)
    expect(await there.find(lost)).toMatchObject({ state: 'current' })
    expect(await there.start(first, {}, TTL)).toBe(true)
    expect(await there.find(lost)).toBeUndefined()
  })
})

describe('a refresh token whose rotation is not late', () => {
  it('if the rotation of a token may still be rolled back as a late write, reuse of the token is detected only after a second and more', async () => {
    const [first, second, third] = [mint(0), mint(1), mint(2)]
    await here.start(first, {}, TTL)
    expect(await refresh(here, first, second)).toMatchObject({ next: second })
    await delay(300)
    const began = performance.now()
    expect(await there.findForRotation(first)).toMatchObject({ state: 'used' })
    const waited = performance.now() - began
    expect(waited).toBeGreaterThanOrEqual(1300)
    expect(await refresh(there, second, third)).toMatchObject({ next: third })
  })

  it.each([
    ['directly after the rotation, because no request can have failed yet', 0],
    ['two minutes after the rotation, because no write arrives so late', 121_000],
  ])('the reuse of a token is detected at once %s', async (_, passed) => {
    const [first, second] = [mint(0), mint(1)]
    await here.start(first, {}, TTL)
    await refresh(here, first, second)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + passed })
    const began = performance.now()
    expect(await there.findForRotation(first)).toMatchObject({ state: 'used' })
    expect(await there.start(mint(0), {}, TTL)).toBe(false)
    expect(performance.now() - began).toBeLessThan(1000)
  })

  it('introspection reports a used token without delay, and a rotation rejects a used token without delay unless it is the previous token of its family', async () => {
    const [first, second, third] = [mint(0), mint(1), mint(2)]
    await here.start(first, {}, TTL)
    await refresh(here, first, second)
    await refresh(here, second, third)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    const began = performance.now()
    expect(await there.find(second)).toMatchObject({ state: 'used' })
    expect(await there.findForRotation(first)).toMatchObject({ state: 'used' })
    expect(performance.now() - began).toBeLessThan(1000)
  })
})
