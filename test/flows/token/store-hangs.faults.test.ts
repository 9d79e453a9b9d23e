import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Redis } from 'ioredis'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import type { Store } from 'koa-gatehouse'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { startRedis } from '../../support/redis-server.ts'

/** Milliseconds that a store call may take in these tests: far longer than a request may take. */
const STORE_TIMEOUT_MS = 50_000
/** Such a request takes 1.5 seconds, and more on a busy machine. */
const LIMIT_MS = 15_000

/** A store on a database that can stop answering. */
interface Database {
  readonly store: Store
  hang(): void
  resume(): void
  stop(): Promise<void>
}

async function memory(): Promise<Database> {
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
    stop: async () => {},
  }
}

async function frozenRedis(): Promise<Database> {
  const server = await startRedis()
  const client = new Redis(server.port)
  return {
    store: redisStore(client),
    hang: () => server.pause(),
    resume: () => server.resume(),
    async stop() {
      client.disconnect()
      await server.stop()
    },
  }
}

function suite(open: () => Promise<Database>): void {
  let db: Database
  let pausing: PausingStore
  let host: Host
  let client: Awaited<ReturnType<Host['createApplication']>>

  beforeEach(async () => {
    db = await open()
    pausing = pausingStore(db.store)
    host = await startHost({ store: pausing.store, gatehouse: { storeTimeoutMs: STORE_TIMEOUT_MS } })
    client = await host.createApplication()
  })
  afterEach(async () => {
    vi.useRealTimers()
    db.resume()
    await host.close()
    await db.stop()
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
}

describe('a store that stops answering during a token request (memory)', () => suite(memory))
describeWithRedis('a Redis that freezes during a token request', () => suite(frozenRedis))
