import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorize, authorizationUrl, connect, startHost, type Host } from '../../support/host.ts'
import { basic } from '../../support/host-requests.ts'
import { describeEachStore } from '../../support/stores.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'

describeEachStore('a client that is reported as compromised, with two processes', (makeStore) => {
  let one: Host
  let other: Host
  beforeAll(async () => {
    const data = crypto.randomUUID()
    one = await startHost({ store: makeStore(data) })
    other = await startHost({ store: makeStore(data), origin: one.origin })
    await Promise.all([one.gatehouse.ready(), other.gatehouse.ready()])
  })
  afterAll(() => Promise.all([one.close(), other.close()]))

  const tokenAt = (host: Host, body: Record<string, string>) =>
    host.post(`http://localhost:${host.port}/auth/oauth2/token`, body)
  async function callAt(host: Host, token: unknown): Promise<number> {
    const headers = { authorization: `Bearer ${String(token)}` }
    return (await fetch(`http://localhost:${host.port}/api/invoices/list`, { headers })).status
  }
  const soonRejected = (token: unknown) =>
    vi.waitFor(async () => {
      for (const host of [one, other]) expect(await callAt(host, token)).toBe(401)
    })

  it('a compromised API key gets no tokens until it has a new secret, and its earlier tokens are rejected in every process', async () => {
    const key = await one.createApiKey()
    const grant = { ...key, grant_type: 'client_credentials' }
    // After these requests, both processes have the client in their cache.
    const tokens = [await tokenAt(one, grant), await tokenAt(other, grant)].map(
      ({ body }) => body['access_token'],
    )
    for (const token of tokens) for (const host of [one, other]) expect(await callAt(host, token)).toBe(200)

    await one.gatehouse.apiKeys.reportCompromised(key.client_id, { actor: 'ops' })
    for (const token of tokens) expect(await callAt(one, token)).toBe(401)
    expect(await tokenAt(one, grant)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    // A message removes the client from the cache of the other process immediately. Without messages, the
    // cache entry would expire after ten seconds.
    await vi.waitFor(async () => {
      expect(await tokenAt(other, grant)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    })
    for (const token of tokens) await soonRejected(token)

    const { clientSecret } = await other.gatehouse.apiKeys.rotateSecret(key.client_id)
    const renewed = await tokenAt(other, { ...grant, client_secret: clientSecret })
    expect(renewed.status).toBe(200)
    for (const host of [one, other]) expect(await callAt(host, renewed.body['access_token'])).toBe(200)
    expect(await tokenAt(other, grant)).toMatchObject({ status: 401 })
  })

  it('a compromised application gets no tokens until it has a new secret, and its earlier access tokens are rejected', async () => {
    const application = await one.createApplication()
    const { access_token, refresh_token } = await connect(one, application)
    const { code } = await authorize(one, application.client_id, { user: 'bob' })
    expect(code).not.toBe('')
    await one.gatehouse.applications.reportCompromised(application.client_id)
    await soonRejected(access_token)
    const requests = [
      { ...application, grant_type: 'refresh_token', refresh_token },
      { ...application, grant_type: 'authorization_code', code },
    ]
    for (const body of requests) {
      expect(await one.token(body)).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    }
    expect((await one.gatehouse.grants.list({ accountId: 'alice' })).items).toMatchObject([
      { clientId: application.client_id },
    ])
    // The consent page of the application is still shown to users.
    const page = await one.browser().open(authorizationUrl(one, application.client_id))
    expect(page.status).toBe(200)

    const { clientSecret } = await one.gatehouse.applications.rotateSecret(application.client_id)
    for (const body of requests) {
      const answer = await one.token({ ...body, client_secret: clientSecret })
      expect(answer.status).toBe(200)
      expect(await callAt(one, answer.body['access_token'])).toBe(200)
    }
  })

  it('a compromised client without a new secret is rejected with an empty, guessed or missing secret', async () => {
    const { client_id } = await one.createApiKey()
    await one.gatehouse.apiKeys.reportCompromised(client_id)
    const form = { grant_type: 'client_credentials' }
    for (const secret of ['', 'undefined', 'null', ' ']) {
      expect(
        (await one.token(form, basic({ client_id, client_secret: secret }))).status,
      ).toBeGreaterThanOrEqual(400)
      expect((await one.token({ ...form, client_id, client_secret: secret })).status).toBeGreaterThanOrEqual(
        400,
      )
    }
    expect((await one.token({ ...form, client_id })).status).toBeGreaterThanOrEqual(400)
  })
})

it('after an export and an import, a compromised client still has no valid secret', async () => {
  const [from, to] = [await startHost({ store: memoryStore() }), await startHost({ store: memoryStore() })]
  const key = await from.createApiKey()
  await from.gatehouse.apiKeys.reportCompromised(key.client_id)
  expect(await importRegistry(to.gatehouse, exportRegistry(from.gatehouse) as never)).toMatchObject({
    apiKeys: 1,
    conflicts: [],
  })
  expect(await to.gatehouse.apiKeys.listSecrets(key.client_id)).toEqual([])
  expect(await to.requestDirectToken(key)).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  })
  await Promise.all([from.close(), to.close()])
})
