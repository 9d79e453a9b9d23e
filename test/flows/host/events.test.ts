import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { GatehouseEvents } from 'koa-gatehouse'
import { authorize, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const NAMES = [
  'token.issued',
  'token.rejected',
  'refresh_token.reused',
  'code.reused',
  'consent.approved',
  'consent.denied',
  'client.created',
  'client.changed',
  'client.deleted',
  'error',
] as const satisfies (keyof GatehouseEvents)[]

describeEachStore('events', (makeStore) => {
  let host: Host
  const received: { name: string; event: unknown }[] = []
  beforeAll(async () => {
    host = await startHost({ store: makeStore() })
    for (const name of NAMES) host.gatehouse.on(name, (event) => received.push({ name, event }))
  })
  beforeEach(() => void received.splice(0))
  afterEach(() => void vi.useRealTimers())
  afterAll(() => host.close())

  const of = (name: (typeof NAMES)[number]) =>
    received.filter((one) => one.name === name).map(({ event }) => event)
  const now = () => Math.floor(Date.now() / 1000)

  it('token.issued reports a direct token', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const key = await host.createApiKey(['invoices'])
    await host.requestDirectToken(key)
    expect(of('token.issued')).toEqual([
      {
        mode: 'direct',
        clientId: key.client_id,
        accountId: 'acme',
        tokenId: expect.any(String),
        scopes: ['invoices:read', 'invoices:create'],
        expiresAt: now() + 864_000,
      },
    ])
  })

  it('token.issued reports delegated tokens at the code exchange and at each refresh', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const application = await host.createApplication()
    const { refresh_token } = await connect(host, application, { parameters: { scope: 'invoices:read' } })
    await host.refresh(application, refresh_token)
    const issued = of('token.issued') as GatehouseEvents['token.issued'][]
    expect(issued).toHaveLength(2)
    for (const event of issued) {
      expect(event).toMatchObject({
        mode: 'delegated',
        clientId: application.client_id,
        accountId: 'alice',
        scopes: ['invoices:read'],
        expiresAt: now() + 3600,
      })
    }
    expect(issued[0]?.grantId).toBe(issued[1]?.grantId)
    expect(issued[0]?.tokenId).not.toBe(issued[1]?.tokenId)
  })

  it('token.rejected reports a wrong secret without the secret', async () => {
    const { client_id } = await host.createApiKey()
    const client_secret = 'a-wrong-secret'
    await host.requestDirectToken({ client_id, client_secret })
    expect(of('token.rejected')).toMatchObject([{ clientId: client_id, error: 'invalid_client' }])
    expect(of('token.issued')).toEqual([])
    expect(JSON.stringify(received)).not.toContain(client_secret)
  })

  it('token.rejected reports the error and the description that the client received', async () => {
    const key = await host.createApiKey()
    const application = await host.createApplication()
    const responses = [
      await host.token({ ...key, grant_type: 'authorization_code', code: 'unknown' }),
      await host.token({ ...application, grant_type: 'refresh_token', refresh_token: 'unknown' }),
    ]
    expect(responses.map(({ body }) => body['error'])).toEqual(['unauthorized_client', 'invalid_grant'])
    expect(of('token.rejected')).toEqual(
      responses.map(({ body }, i) => ({
        clientId: [key, application][i]?.client_id,
        error: body['error'],
        description: body['error_description'],
      })),
    )
  })

  it('consent.approved and consent.denied report the decision of the user', async () => {
    const { client_id } = await host.createApplication()
    await authorize(host, client_id, { deny: true })
    expect(of('consent.denied')).toEqual([{ clientId: client_id, accountId: 'alice' }])
    await authorize(host, client_id, { untick: ['payments:transfer'] })
    expect(of('consent.approved')).toEqual([
      {
        clientId: client_id,
        accountId: 'alice',
        grantId: expect.any(String),
        scopes: ['invoices:read', 'invoices:create', 'payments:list'],
        denied: ['payments:transfer'],
      },
    ])
  })

  it('code.reused and refresh_token.reused report the second use of a code and of a refresh token, and how soon the token was sent again', async () => {
    const application = await host.createApplication()
    const subject = { clientId: application.client_id, accountId: 'alice', grantId: expect.any(String) }
    const { code } = await authorize(host, application.client_id)
    for (let time = 0; time < 2; time += 1) await host.exchangeCode(application, code)
    expect(of('code.reused')).toEqual([subject])

    const { refresh_token } = await connect(host, application)
    for (let time = 0; time < 2; time += 1) await host.refresh(application, refresh_token)
    expect(of('refresh_token.reused')).toEqual([{ ...subject, afterSeconds: expect.any(Number) }])
  })

  it('client.created, client.changed and client.deleted name the actor', async () => {
    const { apiKeys } = host.gatehouse
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Export', actor: 'carol' })
    const { clientId } = apiKey
    await apiKeys.addProduct(clientId, 'invoices', { actor: 'dave' })
    await apiKeys.delete(clientId, { actor: 'erin' })
    const subject = { kind: 'apiKey', clientId, accountId: 'acme' }
    expect(of('client.created')).toEqual([{ ...subject, actor: 'carol' }])
    expect(of('client.changed')).toEqual([
      { ...subject, actor: 'dave', change: 'product.added', target: 'invoices' },
    ])
    expect(of('client.deleted')).toEqual([{ ...subject, actor: 'erin' }])
  })

  it('the event "error" reports the cause of a 500, and the response does not contain the cause', async () => {
    const accounts = host.accounts as unknown as { get(id: string): unknown }
    const failing = vi.spyOn(accounts, 'get').mockImplementation(() => {
      throw new Error('the database of the host is at 10.0.0.7')
    })
    const key = await host.createApiKey()
    const { status, body, text } = await host.requestDirectToken(key)
    failing.mockRestore()
    expect([status, body['error']]).toEqual([500, 'server_error'])
    expect(text).not.toContain('10.0.0.7')
    expect(of('error')).toMatchObject([{ error: { message: expect.stringContaining('10.0.0.7') } }])
  })

  it('a listener that throws does not affect the request, and a removed listener is not called', async () => {
    const removed = vi.fn()
    const throwing = () => {
      throw new Error('a bug in the host')
    }
    host.gatehouse.on('token.issued', throwing)
    host.gatehouse.on('token.issued', removed)
    host.gatehouse.off('token.issued', removed)
    const key = await host.createApiKey()
    const { status } = await host.requestDirectToken(key)
    host.gatehouse.off('token.issued', throwing)
    expect(status).toBe(200)
    expect(of('token.issued')).toHaveLength(1)
    expect(removed).not.toHaveBeenCalled()
  })
})
