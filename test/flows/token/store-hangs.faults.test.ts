import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'

/** Milliseconds that a store call may take in these tests: far longer than a request may take. */
const STORE_TIMEOUT_MS = 50_000
/** Such a request takes 1.5 seconds, and more on a busy machine. */
const LIMIT_MS = 15_000

/** A store on a database that can stop answering, as a frozen Redis does. */
function hangingStore() {
  let isHanging = false
  const waiting: (() => void)[] = []
  const store = new Proxy(memoryStore(), {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        if (isHanging) await new Promise<void>((resolve) => waiting.push(resolve))
        return Reflect.apply(method, target, args) as Promise<unknown>
      }
    },
  })
  return {
    store,
    hang: () => void (isHanging = true),
    resume() {
      isHanging = false
      for (const go of waiting.splice(0)) go()
    },
  }
}

describe('a store that stops answering during a token request', () => {
  let db: ReturnType<typeof hangingStore>
  let pausing: PausingStore
  let host: Host
  let client: Awaited<ReturnType<Host['createApplication']>>

  beforeEach(async () => {
    db = hangingStore()
    pausing = pausingStore(db.store)
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: STORE_TIMEOUT_MS } })
    client = await host.createApplication()
  })
  afterEach(async () => {
    vi.useRealTimers()
    db.resume()
    await host.close()
  })

  /** Half a second after a token was used, gatehouse cannot know whether the record of this use is a late write. */
  const passHalfSecond = () => delay(500)
  const reads = () => pausing.calls.filter((call) => call.startsWith('get refresh-family')).length

  /** Sends a request that is unanswered when `stop` is called, and asserts that it gets 503 in time. */
  async function expectUnavailable(
    request: () => Promise<{ status: number; body: Record<string, unknown> }>,
  ): Promise<void> {
    pausing.watch()
    const began = performance.now()
    const answer = request()
    await vi.waitFor(() => expect(reads()).toBeGreaterThan(2), { interval: 5, timeout: LIMIT_MS })
    db.hang()
    const { status, body } = await answer
    expect({ status, ...body }).toMatchObject({ status: 503, error: 'temporarily_unavailable' })
    expect(performance.now() - began).toBeLessThan(LIMIT_MS)
  }

  it('a refresh token that was just used gets its 503 in time if the store stops answering', async () => {
    const { refresh_token: used } = await connect(host, client)
    expect((await host.refresh(client, used)).status).toBe(200)
    await passHalfSecond()
    await expectUnavailable(() => host.refresh(client, used))
  })

  it('a code that was just used gets its 503 in time if the store stops answering', async () => {
    const { code } = await authorize(host, client.client_id)
    expect((await host.exchangeCode(client, code)).status).toBe(200)
    await passHalfSecond()
    await expectUnavailable(() => host.exchangeCode(client, code))
  })
})
