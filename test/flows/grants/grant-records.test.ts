import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import {
  asksFor,
  authorizationUrl,
  authorize,
  CALLBACK,
  connect,
  startHost,
  type Host,
} from '../../support/host.ts'

const DAY = 86_400

/** A write of a grant: the method of the store, and the time to live in seconds. */
interface GrantWrite {
  readonly how: string
  readonly ttl: number | undefined
}

/** Wraps a store and records the writes of grants. */
function watchGrants(inner: Store): { store: Store; written: GrantWrite[] } {
  const written: GrantWrite[] = []
  const store: Store = {
    ...inner,
    create(key, value, ttl) {
      if (key.startsWith('grant:')) written.push({ how: 'create', ttl })
      return inner.create(key, value, ttl)
    },
    replace(key, expected, value, ttl) {
      if (key.startsWith('grant:')) written.push({ how: 'replace', ttl })
      return inner.replace(key, expected, value, ttl)
    },
  }
  return { store, written }
}

/** Keys of the calls for which no request waits: the last use of a client, and the polls of a process. */
const BACKGROUND = /^(client-usage|revocations|catalog|signing-keys):/

/**
 * Wraps a store and counts consecutive round trips. Calls that run in parallel count as one round trip.
 */
function countRoundTrips(inner: Store) {
  let deepest = 0
  let ended = 0
  const store = new Proxy(inner, {
    get(target, name: keyof Store) {
      const method = target[name]
      if (typeof method !== 'function' || name === 'close') return method
      return async (...args: unknown[]) => {
        const depth = ended + 1
        const counts = !BACKGROUND.test(String(args[0]))
        if (counts) deepest = Math.max(deepest, depth)
        await delay(5)
        const answer = (await Reflect.apply(method, target, args)) as unknown
        if (counts) ended = Math.max(ended, depth)
        return answer
      }
    },
  })
  return {
    store,
    async of(work: () => Promise<unknown>): Promise<number> {
      deepest = 0
      ended = 0
      await work()
      return deepest
    },
  }
}

describe('grant records', () => {
  let host: Host
  let client: { client_id: string; client_secret: string }
  let written: GrantWrite[]

  async function start(options: { store?: Store; lifetimes?: object } = {}): Promise<void> {
    const watched = watchGrants(options.store ?? memoryStore())
    written = watched.written
    host = await startHost({
      store: watched.store,
      ...(options.lifetimes && { gatehouse: { lifetimes: options.lifetimes } }),
    })
    client = await host.createApplication()
  }
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  const exchange = (code: string) => host.exchangeCode(client, code)
  const refresh = (token: unknown) => host.refresh(client, token)

  it('a grant whose code is not exchanged is stored for the lifetimes of an interaction and of a code, plus one minute (fixed bug: grants of silent requests stayed stored for a month)', async () => {
    await start({ lifetimes: { authorizationCode: 30 } })
    const { browser } = await authorize(host, client.client_id)
    const page = await browser.open(authorizationUrl(host, client.client_id, { prompt: 'none' }))
    expect(page.url.searchParams.get('code')).toMatch(/./)
    const short = { how: 'create', ttl: 3600 + 30 + 60 }
    expect(written).toEqual([short, short])
  })

  it('the code exchange extends the grant for the lifetime of the refresh token, and a refresh does not write the grant', async () => {
    await start()
    const { code } = await authorize(host, client.client_id)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    written.splice(0)
    const { status, body } = await exchange(code)
    expect(status).toBe(200)
    expect(written).toEqual([{ how: 'replace', ttl: 31 * DAY }])
    expect((await refresh(body['refresh_token'])).status).toBe(200)
    expect(written).toHaveLength(1)
  })

  it('an authorization request that leads to sign-in creates no grant', async () => {
    await start()
    const parameters = { scope: 'openid invoices:read' }
    const tokensOfBob = await connect(host, client, { user: 'bob', parameters })
    const { browser } = await authorize(host, client.client_id, { parameters })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100_000 })
    written.splice(0)
    for (const reason of [
      { prompt: 'login' },
      { max_age: '0' },
      { max_age: '50' },
      { id_token_hint: String(tokensOfBob.id_token) },
    ]) {
      const url = authorizationUrl(host, client.client_id, { ...parameters, ...reason })
      expect({ reason, asksFor: asksFor(await browser.open(url)) }).toEqual({ reason, asksFor: 'sign-in' })
      expect({ reason, written }).toEqual({ reason, written: [] })
    }
  })

  it('an authorization request that leads to the consent page creates no grant, and an authorization with re-authentication creates one', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id, { parameters: { scope: 'invoices:read' } })
    written.splice(0)
    await browser.open(authorizationUrl(host, client.client_id, { scope: 'invoices:read payments:list' }))
    await browser.open(
      authorizationUrl(host, client.client_id, { scope: 'invoices:read', prompt: 'consent' }),
    )
    expect(written).toEqual([])
    const { code } = await authorize(host, client.client_id, { browser, parameters: { prompt: 'login' } })
    expect(written).toHaveLength(1)
    expect((await exchange(code)).status).toBe(200)
  })

  it('a code exchange is answered with invalid_grant if the grant is deleted during the exchange', async () => {
    const store = memoryStore()
    let grantKey: string | undefined
    await start({
      store: {
        ...store,
        create(key, value, ttl) {
          if (key.startsWith('grant:')) grantKey = key
          return store.create(key, value, ttl)
        },
        async replace(key, expected, value, ttl) {
          if (key === grantKey) await store.delete(key)
          return store.replace(key, expected, value, ttl)
        },
      },
    })
    const { code } = await authorize(host, client.client_id)
    const { status, body } = await exchange(code)
    expect({ status, ...body }).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('a code exchange takes four round trips to the store, also without redirect_uri if the application has several redirect URIs, and a refresh takes two', async () => {
    const counted = countRoundTrips(memoryStore())
    await start({ store: counted.store })
    const browser = host.browser()
    const redirectUris = [CALLBACK, 'http://localhost:9/other']
    for (const own of [client, await host.createApplication({ redirectUris })]) {
      client = own
      // The first exchange also stores the last use of the client.
      await connect(host, client, { browser })
      const { code } = await authorize(host, client.client_id, { browser })
      let answer: Awaited<ReturnType<typeof exchange>> | undefined
      expect(await counted.of(async () => (answer = await exchange(code)))).toBe(4)
      expect(answer?.status).toBe(200)
      expect(await counted.of(() => refresh(answer?.body['refresh_token']))).toBe(2)
    }
  })

  it('a wrong code, and a code that another client sends, do not extend the grant', async () => {
    await start()
    const other = await host.createApplication()
    const { code } = await authorize(host, client.client_id)
    written.splice(0)
    expect((await exchange(`${code}x`)).status).toBe(400)
    const stolen = await host.exchangeCode(other, code)
    expect(stolen.status).toBe(400)
    expect(written).toEqual([])
  })
})
