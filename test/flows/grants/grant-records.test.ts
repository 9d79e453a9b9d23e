// Also runs on: Redis
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { FAULTS, faultyStore, type Fault, type FaultyStore } from '../../support/faulty-store.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

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
        await delay(20)
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

describeEachStore('grant records', (makeStore) => {
  let host: Host
  let client: { client_id: string; client_secret: string }
  let written: GrantWrite[]

  async function start(options: { store?: Store; lifetimes?: object } = {}): Promise<void> {
    const watched = watchGrants(options.store ?? makeStore())
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

  it('a grant whose code is never exchanged expires after an hour (fixed bug: grants of silent requests stayed stored for a month)', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id)
    written.splice(0)
    for (let count = 0; count < 3; count += 1) {
      const page = await browser.open(authorizationUrl(host, client.client_id, { prompt: 'none' }))
      expect(page.url.searchParams.get('code')).toMatch(/./)
    }
    const short = { how: 'create', ttl: 3600 + 60 + 60 }
    expect(written).toEqual([short, short, short])
  })

  it('a grant whose code is not exchanged is stored for the lifetime of an interaction, plus the lifetime of a code, plus one minute', async () => {
    await start({ lifetimes: { authorizationCode: 30 } })
    await authorize(host, client.client_id)
    expect(written).toEqual([{ how: 'create', ttl: 3600 + 30 + 60 }])
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

  it('an authorization request that leads to the consent page creates no grant', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id, { parameters: { scope: 'invoices:read' } })
    written.splice(0)
    await browser.open(authorizationUrl(host, client.client_id, { scope: 'invoices:read payments:list' }))
    await browser.open(
      authorizationUrl(host, client.client_id, { scope: 'invoices:read', prompt: 'consent' }),
    )
    expect(written).toEqual([])
  })

  it('an authorization with re-authentication creates one grant, and the code works', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id)
    written.splice(0)
    const { code } = await authorize(host, client.client_id, { browser, parameters: { prompt: 'login' } })
    expect(written).toHaveLength(1)
    expect((await exchange(code)).status).toBe(200)
  })

  it('a code exchange is answered with invalid_grant if the grant is deleted during the exchange', async () => {
    const store = makeStore()
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

  it('a code exchange takes four round trips to the store', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const browser = host.browser()
    const { code: first } = await authorize(host, client.client_id, { browser })
    await exchange(first)
    const { code } = await authorize(host, client.client_id, { browser })
    expect(await counted.of(() => exchange(code))).toBe(4)
  })

  it('a code exchange without redirect_uri takes four round trips if the application has several redirect URIs', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const redirectUris = ['http://localhost:9/callback', 'http://localhost:9/other']
    client = await host.createApplication({ redirectUris })
    const { code } = await authorize(host, client.client_id)
    let answer: { status: number } | undefined
    expect(await counted.of(async () => (answer = await exchange(code)))).toBe(4)
    expect(answer?.status).toBe(200)
  })

  it('a refresh takes two round trips to the store', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const { refresh_token: token } = await connect(host, client)
    expect(await counted.of(() => refresh(token))).toBe(2)
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

/** Far longer than the calls of a busy machine take: in these tests, only a fault times out. */
const STORE_TIMEOUT_MS = 60_000

describeEachStore('a grant that cannot be extended', (makeStore) => {
  let host: Host
  let faulty: FaultyStore
  let client: { client_id: string; client_secret: string }

  beforeEach(async () => {
    faulty = faultyStore(makeStore())
    host = await startHost({ store: faulty.store, gatehouse: { storeTimeoutMs: STORE_TIMEOUT_MS } })
    client = await host.createApplication()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  /** Exchanges a code while the write of its grant fails. A write without an answer times out at once. */
  async function exchangeWith(fault: Fault, code: string) {
    faulty.arm('replace grant', fault)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = host.exchangeCode(client, code)
    await vi.waitFor(() => expect(faulty.calls.some((call) => call.startsWith('replace grant'))).toBe(true), {
      timeout: STORE_TIMEOUT_MS,
    })
    vi.advanceTimersByTime(STORE_TIMEOUT_MS)
    vi.useRealTimers()
    return answer
  }

  it.each(FAULTS)(
    'a code stays usable if its grant cannot be extended (fault of the store: %s)',
    async (fault) => {
      const { code } = await authorize(host, client.client_id)
      expect((await exchangeWith(fault, code)).status).toBe(503)
      expect(faulty.calls.some((call) => call.startsWith('create refresh-family'))).toBe(false)
      await faulty.settled()
      const { status, body } = await host.exchangeCode(client, code)
      expect(status).toBe(200)
      const refreshed = await host.refresh(client, body['refresh_token'])
      expect(refreshed.status).toBe(200)
    },
  )
})
