import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { authorizationUrl, startHost, type Host } from '../../support/host.ts'
import { send } from '../../support/raw-request.ts'
import { watchWrites } from '../../support/stores.ts'

describe('writes to the store by anonymous requests', () => {
  let host: Host
  let writes: string[]
  let clientId: string
  const ttls: (number | undefined)[] = []
  beforeAll(async () => {
    const watched = watchWrites(memoryStore())
    writes = watched.writes
    const timed = new Proxy(watched.store, {
      get(target, name: keyof Store) {
        if (name !== 'set') return target[name]
        return (key: string, value: string, ttl?: number) => {
          ttls.push(ttl)
          return target.set(key, value, ttl)
        }
      },
    })
    host = await startHost({ store: timed })
    await host.gatehouse.ready()
    clientId = (await host.createApplication()).client_id
  })
  afterAll(() => host.close())

  const pathOf = ({ pathname, search }: URL) => pathname + search

  it.each<[string, () => string]>([
    ['an authorization request of an unknown client', () => pathOf(authorizationUrl(host, 'unknown'))],
    [
      'an authorization request with a wrong redirect URI',
      () => pathOf(authorizationUrl(host, clientId, { redirect_uri: 'https://x.example/' })),
    ],
    [
      'an authorization request with prompt=none and without a session',
      () => pathOf(authorizationUrl(host, clientId, { prompt: 'none' })),
    ],
    ['a request for the page of an unknown interaction', () => '/auth/interaction/unknown'],
    ['a request that continues an unknown authorization', () => '/auth/oauth2/authorize/unknown'],
    ['a user info request without a token', () => '/auth/oauth2/userinfo'],
  ])('%s stores nothing', async (_name, target) => {
    writes.splice(0)
    for (const accept of ['text/html', '*/*'])
      await send(host.port, { target: target(), headers: { accept } })
    expect(writes).toEqual([])
  })

  it('a rejected token request stores nothing', async () => {
    writes.splice(0)
    for (const grant_type of ['client_credentials', 'authorization_code', 'refresh_token', 'unknown']) {
      await host.token({
        client_id: clientId,
        client_secret: 'x',
        grant_type,
        code: 'x',
        refresh_token: 'a.0.b.c',
      })
    }
    expect(writes).toEqual([])
  })

  it('a sign-out without a session stores nothing, and later requests with the cookies of this sign-out store nothing', async () => {
    writes.splice(0)
    const browser = host.browser()
    await browser.open(`${host.issuer}/oauth2/logout`)
    expect([...browser.cookies.keys()]).toContainEqual(expect.stringMatching(/^gatehouse_session\|/))
    const stale = new Map(browser.cookies)
    for (let times = 0; times < 3; times += 1) {
      for (const [name, cookie] of stale) browser.cookies.set(name, cookie)
      await browser.open(authorizationUrl(host, clientId, { prompt: 'none' }))
      await browser.open(`${host.issuer}/oauth2/logout`)
    }
    expect(writes).toEqual([])
  })

  it('an authorization request stores only its interaction, with the lifetime of the interaction', async () => {
    for (const list of [writes, ttls]) list.splice(0)
    await send(host.port, { target: pathOf(authorizationUrl(host, clientId)) })
    expect(writes).toEqual([expect.stringMatching(/^set interaction:/)])
    expect(ttls).toEqual([1200])
  })
})
