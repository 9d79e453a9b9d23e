import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

vi.mock('../../../src/keys/generate-key.ts', async (original) =>
  (await import('../../support/quick-keys.ts')).withQuickKeys(original),
)

const kidOf = (token: unknown) => String(decodeProtectedHeader(String(token)).kid)

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

  const tokenAt = async (host: Host) =>
    (await host.post(`${host.origin}/auth/oauth2/token`, { ...key, grant_type: 'client_credentials' })).body[
      'access_token'
    ]
  async function callAt(host: Host, token: unknown) {
    const headers = { authorization: `Bearer ${String(token)}` }
    const response = await fetch(`${host.origin}/api/invoices/list`, { headers })
    return { status: response.status, body: (await response.json()) as object }
  }
  const publishedAt = async (host: Host) => {
    const { keys } = (await (await fetch(`${host.origin}/auth/oauth2/jwks`)).json()) as {
      keys: { kid: string }[]
    }
    return keys.map(({ kid }) => kid)
  }
  const untilRejected = (host: Host, token: unknown) =>
    vi.waitFor(async () => expect((await callAt(host, token)).status).toBe(401))

  test('all its tokens are rejected at once, also those that a gateway has verified before; new ones work', async () => {
    const application = await one.createApplication()
    const delegated = await connect(one, application, { parameters: { scope: 'openid invoices:read' } })
    const direct = await tokenAt(one)
    const kid = kidOf(direct)
    for (const token of [direct, delegated.access_token]) {
      for (const host of [one, other]) expect((await callAt(host, token)).status).toBe(200)
    }
    await one.gatehouse.signingKeys.revoke(kid, { actor: 'ops' })
    for (const token of [direct, delegated.access_token]) {
      expect(await callAt(one, token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
      await untilRejected(other, token)
    }
    const userInfo = await fetch(`${one.issuer}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${delegated.access_token}` },
    })
    expect(userInfo.status).toBe(401)
    for (const host of [one, other]) expect(await publishedAt(host)).not.toContain(kid)
    expect(events).toHaveLength(2)
    expect(events).toEqual(
      expect.arrayContaining([
        { name: 'key.revoked', where: 'one', kid, alg: 'ES256', actor: 'ops' },
        { name: 'token.revoked', where: 'one', of: 'key', id: kid, actor: 'ops' },
      ]),
    )

    for (const at of [one, other]) {
      const token = await tokenAt(at)
      expect(kidOf(token)).not.toBe(kid)
      for (const host of [one, other]) expect((await callAt(host, token)).status).toBe(200)
    }
    // The authorization itself is as good as before.
    const refreshed = await one.token({
      ...application,
      grant_type: 'refresh_token',
      refresh_token: delegated.refresh_token,
    })
    expect(refreshed.status).toBe(200)
    expect((await callAt(other, refreshed.body['access_token'])).status).toBe(200)
  })

  test('a token request that was under way ends with a token that is dead on arrival', async () => {
    const kid = kidOf(await tokenAt(one))
    // So that it is read and not remembered.
    await one.gatehouse.apiKeys.rename(key.client_id, 'Renamed')
    const pause = paused.pauseAfter('get client:')
    const answer = tokenAt(one)
    expect(await pause.reached).toBe(true)
    await other.gatehouse.signingKeys.revoke(kid)
    await vi.waitFor(async () => expect(await publishedAt(one)).not.toContain(kid))
    pause.end()
    const token = await answer
    // Whichever key signed it in the end: either it is dead, or of the new key.
    if (kidOf(token) === kid) for (const host of [one, other]) await untilRejected(host, token)
    else for (const host of [one, other]) expect((await callAt(host, token)).status).toBe(200)
    expect(kidOf(token)).toBe(kid)
  })

  test('an unknown key is ERR_NOT_FOUND; a second time does no harm', async () => {
    await expect(one.gatehouse.signingKeys.revoke('unknown')).rejects.toMatchObject({
      code: 'ERR_NOT_FOUND',
      status: 404,
    })
    const token = await tokenAt(one)
    await one.gatehouse.signingKeys.revoke(kidOf(token))
    await other.gatehouse.signingKeys.revoke(kidOf(token))
    expect(events.filter((event) => 'alg' in event)).toHaveLength(1)
    expect((await callAt(one, token)).status).toBe(401)
    expect((await callAt(one, await tokenAt(other))).status).toBe(200)
  })

  test('a process that starts later rejects its tokens, and publishes it as little', async () => {
    const token = await tokenAt(one)
    await one.gatehouse.signingKeys.revoke(kidOf(token))
    const late = await startHost({
      store: paused.store,
      gatehouse: { issuer: one.issuer, audience: one.audience },
    })
    await late.gatehouse.ready()
    expect(await callAt(late, token)).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(await publishedAt(late)).not.toContain(kidOf(token))
    expect(await late.gatehouse.signingKeys.list()).toContainEqual(
      expect.objectContaining({ kid: kidOf(token), state: 'revoked' }),
    )
    await late.close()
  })
})
