import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { asksFor, authorizationUrl, authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const DAY = 86_400

/** What was written to grants: how, and for how many seconds. */
interface GrantWrite {
  readonly how: string
  readonly ttl: number | undefined
}

/** A store that tells what is written to grants. */
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

/**
 * A store that tells how many round trips there were one after the other: calls that begin before another has
 * ended take no time of their own.
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
        // Noting that a client was used is nothing that a request waits for.
        const counts = !String(args[0]).startsWith('client-usage:')
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

describeEachStore('grants', (makeStore) => {
  let host: Host
  let client: { client_id: string; client_secret: string }
  let written: GrantWrite[]

  async function start(options: { store?: Store; lifetimes?: object } = {}): Promise<void> {
    const watched = watchGrants(options.store ?? makeStore())
    written = watched.written
    host = await startHost({
      store: watched.store,
      gatehouse: { storeTimeoutMs: 300, ...(options.lifetimes && { lifetimes: options.lifetimes }) },
    })
    client = await host.createApplication()
  }
  afterEach(async () => {
    vi.useRealTimers()
    await host.close()
  })

  const exchange = (code: string) => host.token({ ...client, grant_type: 'authorization_code', code })
  const refresh = (token: unknown) =>
    host.token({ ...client, grant_type: 'refresh_token', refresh_token: String(token) })

  test('one whose code is never exchanged lives an hour, not a month (bug: silent requests piled them up)', async () => {
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

  test('one made at the consent page is short-lived too, by the lifetimes that are set', async () => {
    await start({ lifetimes: { interaction: 600, authorizationCode: 30 } })
    await authorize(host, client.client_id)
    expect(written).toEqual([{ how: 'create', ttl: 600 + 30 + 60 }])
  })

  test('one lives on with its first refresh token, and is not written at each refresh', async () => {
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

  test('none is made where somebody has to sign in first', async () => {
    await start()
    const parameters = { scope: 'openid invoices:read' }
    const ofBob = await connect(host, client, { user: 'bob', parameters })
    const { browser } = await authorize(host, client.client_id, { parameters })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100_000 })
    written.splice(0)
    for (const reason of [
      { prompt: 'login' },
      { max_age: '0' },
      { max_age: '50' },
      { id_token_hint: String(ofBob.id_token) },
    ]) {
      const url = authorizationUrl(host, client.client_id, { ...parameters, ...reason })
      expect({ reason, asksFor: asksFor(await browser.open(url)) }).toEqual({ reason, asksFor: 'sign-in' })
      expect({ reason, written }).toEqual({ reason, written: [] })
    }
  })

  test('none is made where consent is asked for', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id, { parameters: { scope: 'invoices:read' } })
    written.splice(0)
    await browser.open(authorizationUrl(host, client.client_id, { scope: 'invoices:read payments:list' }))
    await browser.open(
      authorizationUrl(host, client.client_id, { scope: 'invoices:read', prompt: 'consent' }),
    )
    expect(written).toEqual([])
  })

  test('after signing in anew there is one grant, and its code works', async () => {
    await start()
    const { browser } = await authorize(host, client.client_id)
    written.splice(0)
    const { code } = await authorize(host, client.client_id, { browser, parameters: { prompt: 'login' } })
    expect(written).toHaveLength(1)
    expect((await exchange(code)).status).toBe(200)
  })

  test('one that is gone ends the exchange as invalid_grant', async () => {
    const store = makeStore()
    let gone: string | undefined
    await start({
      store: {
        ...store,
        create(key, value, ttl) {
          if (key.startsWith('grant:')) gone = key
          return store.create(key, value, ttl)
        },
        async replace(key, expected, value, ttl) {
          if (key === gone) await store.delete(key)
          return store.replace(key, expected, value, ttl)
        },
      },
    })
    const { code } = await authorize(host, client.client_id)
    const { status, body } = await exchange(code)
    expect({ status, ...body }).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  test('a code exchange is four round trips to the store', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const browser = host.browser()
    const { code: first } = await authorize(host, client.client_id, { browser })
    await exchange(first)
    const { code } = await authorize(host, client.client_id, { browser })
    expect(await counted.of(() => exchange(code))).toBe(4)
  })

  test('with several redirect URIs and none sent it is four as well', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const redirectUris = ['http://localhost:9/callback', 'http://localhost:9/other']
    client = await host.createApplication({ redirectUris })
    const { code } = await authorize(host, client.client_id)
    let answer: { status: number } | undefined
    expect(await counted.of(async () => (answer = await exchange(code)))).toBe(4)
    expect(answer?.status).toBe(200)
  })

  test('a refresh is two round trips', async () => {
    const counted = countRoundTrips(makeStore())
    await start({ store: counted.store })
    const { refresh_token: token } = await connect(host, client)
    expect(await counted.of(() => refresh(token))).toBe(2)
  })

  test('a wrong code, and a code of a wrong client, keep no grant alive', async () => {
    await start()
    const other = await host.createApplication()
    const { code } = await authorize(host, client.client_id)
    written.splice(0)
    expect((await exchange(`${code}x`)).status).toBe(400)
    const stolen = await host.token({ ...other, grant_type: 'authorization_code', code })
    expect(stolen.status).toBe(400)
    expect(written).toEqual([])
  })
})

describeEachStore('a grant that cannot be kept alive', (makeStore) => {
  let host: Host
  let faulty: FaultyStore
  let client: { client_id: string; client_secret: string }

  beforeEach(async () => {
    faulty = faultyStore(makeStore(), { lateBy: 150 })
    host = await startHost({ store: faulty.store, gatehouse: { storeTimeoutMs: 75 } })
    client = await host.createApplication()
  })
  afterEach(() => host.close())

  test.each(FAULTS)('costs the code nothing: %s', async (fault) => {
    const { code } = await authorize(host, client.client_id)
    const body = { ...client, grant_type: 'authorization_code', code }
    faulty.arm('replace grant', fault)
    expect((await host.token(body)).status).toBe(503)
    expect(faulty.calls.some((call) => call.startsWith('create refresh-family'))).toBe(false)
    await faulty.settled()
    const { status, body: tokens } = await host.token(body)
    expect(status).toBe(200)
    const refreshed = await host.token({
      ...client,
      grant_type: 'refresh_token',
      refresh_token: String(tokens['refresh_token']),
    })
    expect(refreshed.status).toBe(200)
  })
})
