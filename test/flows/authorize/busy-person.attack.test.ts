// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { authorize, authorizationUrl, CALLBACK, startHost, type Host } from '../../support/host.ts'
import { startSessionHost } from '../../support/session-host.ts'
import { describeEachStore } from '../../support/stores.ts'

const GRANTS_AN_HOUR = 60
const MAX_SESSIONS = 50

describeEachStore('a person in a loop', (makeStore) => {
  const hosts: Pick<Host, 'close'>[] = []
  afterEach(async () => {
    vi.restoreAllMocks()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })
  const keep = <T extends Pick<Host, 'close'>>(host: T): T => {
    hosts.push(host)
    return host
  }

  it('may start 60 grants an hour for one application; other people and other applications are not affected', async () => {
    const data = randomUUID()
    const one = keep(await startHost({ store: makeStore(data) }))
    const same = { issuer: one.issuer, audience: one.audience }
    const two = keep(await startHost({ store: makeStore(data), gatehouse: same }))
    const [{ client_id }, other] = [await one.createApplication(), await one.createApplication()]
    const { browser } = await authorize(one, client_id)
    const silent = async (host: Host, id = client_id) => {
      const url = authorizationUrl(one, id, { prompt: 'none' })
      const { headers } = await fetch(url.href.replace(one.origin, host.origin), {
        headers: { cookie: browser.cookieHeader(url) },
        redirect: 'manual',
      })
      return new URL(headers.get('location') ?? CALLBACK).searchParams
    }
    for (let at = 1; at < GRANTS_AN_HOUR; at += 1) {
      expect((await silent(at % 2 === 0 ? one : two)).has('code')).toBe(true)
    }
    for (const host of [one, two]) {
      expect((await silent(host)).get('error')).toBe('temporarily_unavailable')
    }
    const parameters = { prompt: 'consent' }
    const { callback } = await authorize(one, client_id, { browser, parameters })
    expect([callback.origin, callback.searchParams.get('error')]).toEqual([
      new URL(CALLBACK).origin,
      'temporarily_unavailable',
    ])
    expect((await authorize(one, other.client_id, { browser })).code).not.toBe('')
    expect((await authorize(one, client_id, { user: 'bob' })).code).not.toBe('')
  })

  it('has 50 sessions: a new one ends the oldest one, and the sessions of other people stay', async () => {
    const host = keep(await startSessionHost({ store: makeStore() }))
    const { client_id } = await host.createApplication({ firstParty: true })
    const silent = authorizationUrl(host, client_id, { prompt: 'none' })
    const signIn = async (accountId: string, userId?: string) => {
      const browser = host.browser()
      host.signInAt(browser, { accountId, ...(userId !== undefined && { userId }) })
      expect((await browser.request(silent)).headers.get('location')).toContain('code=')
      return browser
    }
    const sessionOf = (browser: Awaited<ReturnType<typeof signIn>>) => {
      const cookie = [...browser.cookies].find(([name]) => name.startsWith('gatehouse_session|'))
      return cookie?.[1].value
    }
    const bob = await signIn('bob')
    const first = await signIn('acme')
    const sessions = [sessionOf(bob), sessionOf(first)]
    await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)))
    const later = await Promise.all(Array.from({ length: MAX_SESSIONS }, () => signIn('acme')))
    for (const each of [bob, first, later[0], later[49]]) {
      if (each) await each.request(silent)
    }
    expect(sessionOf(bob)).toBe(sessions[0])
    expect(sessionOf(first)).not.toBe(sessions[1])
  })

  it('with 50 sessions signs in at the browser of another person, whose session is older', async () => {
    const host = keep(await startSessionHost({ store: makeStore() }))
    const { client_id } = await host.createApplication({ firstParty: true })
    const silent = authorizationUrl(host, client_id, { prompt: 'none' })
    const signIn = async (accountId: string, browser = host.browser()) => {
      host.signInAt(browser, { accountId })
      await browser.request(silent)
      return browser
    }
    const sessionAt = ({ cookies }: ReturnType<typeof host.browser>) =>
      [...cookies].find(([name]) => name.startsWith('gatehouse_session|'))?.[1].value
    const shared = await signIn('alice')
    const now = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 120_000)
    await Promise.all(Array.from({ length: MAX_SESSIONS }, () => signIn('acme')))
    // Sessions of the same second have no order.
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 121_000)
    const session = sessionAt(await signIn('acme', shared))
    await shared.request(silent)
    expect(sessionAt(shared)).toBe(session)
  })

  it('leaves at most 50 entries in the list of sessions, however often the consent page gives the session a new cookie', async () => {
    const store = makeStore()
    const listed = new Set<string>()
    const counting: Store = {
      ...store,
      async add(index, member, ttl) {
        if (index.startsWith('sessions:of:')) listed.add(member)
        await store.add(index, member, ttl)
      },
      async remove(index, member) {
        listed.delete(member)
        await store.remove(index, member)
      },
    }
    const host = keep(await startHost({ store: counting }))
    const { client_id } = await host.createApplication()
    const { browser } = await authorize(host, client_id)
    const parameters = { prompt: 'consent' }
    const now = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 120_000)
    for (let at = 0; at < MAX_SESSIONS + 5; at += 1) await authorize(host, client_id, { browser, parameters })
    expect([...listed].filter((each) => each.includes(':')).length).toBeLessThanOrEqual(MAX_SESSIONS)
  })

  it('cannot fill the store: while it is nearly full, new sessions, grants and approvals get 503', async () => {
    const store: Store = makeStore()
    let usedShare = 0.5
    const inspect = async () => ({ usedShare, checks: [] })
    const host = keep(await startSessionHost({ store: { ...store, inspect } }))
    const { client_id } = await host.createApplication({ firstParty: true })
    const silent = authorizationUrl(host, client_id, { prompt: 'none' })
    const known = host.browser()
    host.signInAt(known, { accountId: 'alice' })
    expect((await known.request(silent)).status).toBe(303)
    usedShare = 0.95
    const fresh = host.browser()
    host.signInAt(fresh, { accountId: 'bob' })
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 3000)
    await known.request(silent)
    for (const browser of [known, fresh]) {
      const answer = await browser.request(silent)
      expect([answer.status, answer.body]).toEqual([
        503,
        expect.stringContaining('temporarily_unavailable') as string,
      ])
    }
    const { apiKeys } = host.gatehouse
    await apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
  })
})
