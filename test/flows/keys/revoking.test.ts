// Also runs on: Redis
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { callAt, kidOf, kidsAt, statusAt, tokenAt } from './keys-setup.ts'

describeEachStore('revoking a signing key, with two processes', (makeStore) => {
  let paused: PausingStore
  let one: Host
  let other: Host
  let key: { client_id: string; client_secret: string }
  let events: object[]

  beforeAll(async () => {
    const data = crypto.randomUUID()
    paused = pausingStore(makeStore(data))
    one = await startHost({ store: paused.store, gatehouse: { storeTimeoutMs: 10_000 } })
    other = await startHost({
      store: makeStore(data),
      gatehouse: { issuer: one.issuer, audience: one.audience },
    })
    key = await one.createApiKey()
    await other.gatehouse.ready()
    for (const name of ['key.revoked', 'token.revoked'] as const) {
      for (const [where, host] of Object.entries({ one, other })) {
        host.gatehouse.on(name, (event) => events.push({ name, where, ...event }))
      }
    }
  })
  beforeEach(() => {
    events = []
  })
  afterAll(() => Promise.all([one.close(), other.close()]))

  const untilRejected = (host: Host, token: unknown) =>
    vi.waitFor(async () => expect(await statusAt(host, token)).toBe(401))

  it('revoking a signing key immediately rejects all its tokens, even cached tokens, and new tokens work', async () => {
    const application = await one.createApplication()
    const delegated = await connect(one, application, { parameters: { scope: 'openid invoices:read' } })
    const direct = await tokenAt(one, key)
    const kid = kidOf(direct)
    for (const token of [direct, delegated.access_token]) {
      for (const host of [one, other]) expect(await statusAt(host, token)).toBe(200)
    }
    await one.gatehouse.signingKeys.revoke(kid, { actor: 'ops' })
    for (const token of [direct, delegated.access_token]) {
      expect(await callAt(one, token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
      await untilRejected(other, token)
    }
    const userInfo = await one.userInfo(delegated.access_token)
    expect(userInfo.status).toBe(401)
    for (const host of [one, other]) expect(await kidsAt(host)).not.toContain(kid)
    expect(events).toHaveLength(2)
    expect(events).toEqual(
      expect.arrayContaining([
        { name: 'key.revoked', where: 'one', kid, alg: 'ES256', actor: 'ops' },
        { name: 'token.revoked', where: 'one', of: 'key', id: kid, actor: 'ops' },
      ]),
    )

    for (const at of [one, other]) {
      const token = await tokenAt(at, key)
      expect(kidOf(token)).not.toBe(kid)
      for (const host of [one, other]) expect(await statusAt(host, token)).toBe(200)
    }
    // The grant stays valid, so its refresh token works.
    const refreshed = await one.refresh(application, delegated.refresh_token)
    expect(refreshed.status).toBe(200)
    expect(await statusAt(other, refreshed.body['access_token'])).toBe(200)
  })

  it('a token request that is pending while a key is revoked gets no valid token of that key', async () => {
    const kid = kidOf(await tokenAt(one, key))
    // Renaming removes the client from the cache, so that the request reads the client from the store.
    await one.gatehouse.apiKeys.update(key.client_id, { name: 'Renamed' })
    await one.gatehouse.audit.list({ limit: 1 })
    const pause = paused.pauseAfter('get client:')
    const answer = tokenAt(one, key)
    expect(await pause.reached).toBe(true)
    await other.gatehouse.signingKeys.revoke(kid)
    await vi.waitFor(async () => expect(await kidsAt(one)).not.toContain(kid))
    pause.end()
    const token = await answer
    expect(kidOf(token)).toBe(kid)
    for (const host of [one, other]) await untilRejected(host, token)
  })

  it('revoking an unknown key fails with ERR_NOT_FOUND, and revoking a key again has no effect', async () => {
    await expect(one.gatehouse.signingKeys.revoke('unknown')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      status: 404,
    })
    const token = await tokenAt(one, key)
    await one.gatehouse.signingKeys.revoke(kidOf(token))
    await other.gatehouse.signingKeys.revoke(kidOf(token))
    expect(events.filter((event) => 'alg' in event)).toHaveLength(1)
    expect(await statusAt(one, token)).toBe(401)
    expect(await statusAt(one, await tokenAt(other, key))).toBe(200)
  })

  it('a process that starts after the revocation of a key does not publish the key and rejects its tokens', async () => {
    const token = await tokenAt(one, key)
    await one.gatehouse.signingKeys.revoke(kidOf(token))
    const laterHost = await startHost({
      store: paused.store,
      gatehouse: { issuer: one.issuer, audience: one.audience },
    })
    await laterHost.gatehouse.ready()
    expect(await callAt(laterHost, token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await kidsAt(laterHost)).not.toContain(kidOf(token))
    expect(await laterHost.gatehouse.signingKeys.list()).toContainEqual(
      expect.objectContaining({ kid: kidOf(token), state: 'revoked' }),
    )
    await laterHost.close()
  })
})
