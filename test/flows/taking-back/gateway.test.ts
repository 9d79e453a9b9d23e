import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, type Gateway, type GatewayOptions, type Principal } from 'koa-gatehouse/gateway'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { faultyStore } from '../../support/faulty-store.ts'
import { connect, products, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

type Told = 'by the store' | 'over HTTP'

describeEachStore('an API in another process', (makeStore) => {
  let host: Host
  /** The name of the data that all processes of one test share. */
  let data: string
  let resourceServer: { clientId: string; clientSecret: string }
  const gateways: Gateway[] = []
  const logger = { ...silentLogger, warn: vi.fn() }

  beforeEach(async () => {
    logger.warn.mockClear()
    data = randomUUID()
    host = await startHost({ store: makeStore(data) })
    const { client_id, client_secret } = await host.createApiKey([])
    resourceServer = { clientId: client_id, clientSecret: client_secret }
    await host.gatehouse.apiKeys.setResourceServer(client_id, true)
  })
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.close()))
    await host.close()
  })

  function open(revocations: GatewayOptions['revocations']): Gateway {
    const { issuer, audience } = host
    const gateway = createGateway({ issuer, audience, products, revocations, logger })
    gateways.push(gateway)
    return gateway
  }

  const told: Record<Told, () => Gateway> = {
    // Its own connection to the same data, as another process has it.
    'by the store': () => open({ store: makeStore(data), catchUpSeconds: 1 }),
    'over HTTP': () => open({ ...resourceServer, catchUpSeconds: 1 }),
  }

  const call = (gateway: Gateway, token: string) =>
    gateway.authenticate({
      method: 'GET',
      url: '/api/invoices/list',
      headers: { authorization: `Bearer ${token}` },
    })

  async function admitted(gateway: Gateway, token: string): Promise<Principal> {
    const outcome = await call(gateway, token)
    if (!outcome.ok) throw new Error(outcome.body)
    return outcome.principal
  }

  async function directToken(key?: { client_id: string; client_secret: string }): Promise<string> {
    const client = key ?? (await host.createApiKey(['invoices']))
    const { body } = await host.token({ ...client, grant_type: 'client_credentials' })
    return String(body['access_token'])
  }

  const refusedSoon = (gateway: Gateway, token: string) =>
    vi.waitFor(async () => expect(await call(gateway, token)).toMatchObject({ ok: false, status: 401 }), {
      timeout: 3000,
      interval: 5,
    })

  describe.each(Object.keys(told) as Told[])('that is told %s', (way) => {
    it('refuses a token within moments after it was revoked, ends its streams, and lets others be', async () => {
      const gateway = told[way]()
      const [token, other] = [await directToken(), await directToken()]
      const { signal } = await admitted(gateway, token)
      const bystander = await admitted(gateway, other)

      await host.gatehouse.tokens.revoke(token)
      await refusedSoon(gateway, token)
      expect(await call(gateway, token)).toMatchObject({
        error: 'invalid_token',
        headers: { 'WWW-Authenticate': expect.stringContaining('error="invalid_token"') },
      })
      await vi.waitFor(() => expect(signal.reason).toMatchObject({ code: 'ERR_TOKEN_REVOKED' }))
      await admitted(gateway, other)
      expect(bystander.signal.aborted).toBe(false)
      expect(await gateway.health()).toMatchObject({
        ready: true,
        revocations: { followed: true, lost: false },
      })
    })

    it('refuses the tokens of a disabled key and of a grant that was taken back', async () => {
      const gateway = told[way]()
      const key = await host.createApiKey(['invoices'])
      const direct = await directToken(key)
      const delegated = await connect(host, await host.createApplication(), {
        parameters: { scope: 'invoices:read' },
      })
      await admitted(gateway, direct)
      const { grantId = '' } = await admitted(gateway, delegated.access_token)

      await host.gatehouse.apiKeys.disable(key.client_id)
      await host.gatehouse.grants.revoke(grantId)
      await refusedSoon(gateway, direct)
      await refusedSoon(gateway, delegated.access_token)
    })

    it('knows from its start what was revoked before', async () => {
      const token = await directToken()
      await host.gatehouse.tokens.revoke(token)
      expect(await call(told[way](), token)).toMatchObject({ ok: false, status: 401 })
    })
  })

  it('hears from the store at once, long before it would look again', async () => {
    const gateway = open({ store: makeStore(data), catchUpSeconds: 60 })
    const token = await directToken()
    await admitted(gateway, token)
    await host.gatehouse.tokens.revoke(token)
    await refusedSoon(gateway, token)
  })

  it('finds by looking again what no message told', async () => {
    const deaf = { ...makeStore(data), subscribe: async () => async () => {} }
    const gateway = open({ store: deaf, catchUpSeconds: 1 })
    const token = await directToken()
    await admitted(gateway, token)
    await host.gatehouse.tokens.revoke(token)
    await admitted(gateway, token)
    await refusedSoon(gateway, token)
  })

  it.each([
    ['with a wrong secret', () => ({ ...resourceServer, clientSecret: 'wrong' }), 'revocations.clientSecret'],
    ['with an unknown key', () => ({ clientId: 'nobody', clientSecret: 'x' }), 'revocations.clientId'],
    ['with a key that is no resource server', undefined, 'setResourceServer'],
  ])('%s answers 503, and the log says what to do', async (_, credentials, hint) => {
    const plain = await host.createApiKey(['invoices'])
    const { client_id: clientId, client_secret: clientSecret } = plain
    const gateway = open(credentials?.() ?? { clientId, clientSecret })
    await expect(gateway.ready()).rejects.toMatchObject({
      code: 'ERR_NOT_READY',
      message: expect.stringContaining(hint),
    })
    expect(await call(gateway, await directToken(plain))).toMatchObject({ ok: false, status: 503 })
    expect(await gateway.health()).toMatchObject({ ready: false, revocations: { lost: true } })
    const logged = logger.warn.mock.calls.map(([details]) => String((details as { err: Error }).err))
    expect(logged.join()).toContain(hint)
    expect(logged.join()).not.toContain(clientSecret)
  })

  it('loses contact when its key is no resource server any more, serves on, and finds back', async () => {
    const gateway = told['over HTTP']()
    const events: string[] = []
    gateway.on('revocations.lost', () => events.push('lost'))
    gateway.on('revocations.current', () => events.push('current'))
    const token = await directToken()
    await admitted(gateway, token)
    await host.gatehouse.apiKeys.setResourceServer(resourceServer.clientId, false)
    await vi.waitFor(() => expect(events).toEqual(['lost']), 3000)
    await admitted(gateway, token)
    await host.gatehouse.apiKeys.setResourceServer(resourceServer.clientId, true)
    await vi.waitFor(() => expect(events).toEqual(['lost', 'current']), 3000)
  })

  it('with refuse answers 503 while the store is away, and serves again by itself', async () => {
    const faulty = faultyStore(makeStore(data))
    const gateway = open({
      store: faulty.store,
      catchUpSeconds: 1,
      onLostContact: 'refuse',
      refuseAfterSeconds: 1,
    })
    const token = await directToken()
    await admitted(gateway, token)
    faulty.goAway()
    await vi.waitFor(
      async () =>
        expect(await call(gateway, token)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } }),
      { timeout: 4000, interval: 20 },
    )
    expect(await gateway.health()).toMatchObject({ ready: false })
    faulty.comeBack()
    await vi.waitFor(() => admitted(gateway, token), { timeout: 4000, interval: 20 })
  })
})

describe('a long answer', () => {
  let host: Host
  let server: Server | undefined
  beforeEach(async () => {
    host = await startHost()
    await host.gatehouse.ready()
  })
  afterEach(async () => {
    server?.closeAllConnections()
    server?.close()
    await host.close()
  })

  it('ends when its token is revoked', async () => {
    server = createServer((request, response) => {
      void (async () => {
        const outcome = await host.gatehouse.gateway.authenticate(request)
        if (!outcome.ok) return response.writeHead(outcome.status).end()
        outcome.principal.signal.addEventListener('abort', () => response.end('over'))
        return response.write('begun ')
      })()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { body } = await host.token({
      ...(await host.createApiKey(['invoices'])),
      grant_type: 'client_credentials',
    })
    const token = String(body['access_token'])
    const response = await fetch(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/invoices/list`,
      { headers: { authorization: `Bearer ${token}` } },
    )
    expect(response.status).toBe(200)
    await host.gatehouse.tokens.revoke(token)
    expect(await response.text()).toBe('begun over')
  })
})
