import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createGateway } from 'koa-gatehouse/gateway'
import { exportRegistry, importRegistry } from 'koa-gatehouse/backup'
import type { Logger } from 'koa-gatehouse'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const OFFICE = '203.0.113.0/24'
const FROM_OFFICE = { 'x-forwarded-for': '203.0.113.9' }
const FROM_ELSEWHERE = { 'x-forwarded-for': '198.51.100.1' }

describeEachStore('addresses from which a client may be used', (makeStore) => {
  let data: string
  const hosts: Host[] = []
  const warned: unknown[][] = []
  const logger: Logger = { ...silentLogger, warn: (...args: unknown[]) => void warned.push(args) }

  beforeEach(() => {
    data = crypto.randomUUID()
    warned.length = 0
  })
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

  /** Starts a host. @param proxies the proxies in front of it, which it trusts */
  async function start(proxies = 0, store = makeStore(data), origin?: string): Promise<Host> {
    const host = await startHost({
      store,
      origin,
      gatehouse: { logger },
      mount(app, gatehouse) {
        if (proxies > 0) Object.assign(app, { proxy: true, maxIpsCount: proxies })
        app.use(gatehouse.middleware())
        app.use(gatehouse.gateway.middleware())
      },
    })
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }
  async function createKey(host: Host, allowedAddresses: string[]) {
    const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Office',
      products: ['invoices'],
      allowedAddresses,
    })
    return { client_id: apiKey.clientId, client_secret: clientSecret }
  }
  const tokenOf = async (host: Host, client: { client_id: string; client_secret: string }, headers = {}) =>
    host.post(
      `http://localhost:${host.port}/auth/oauth2/token`,
      { ...client, grant_type: 'client_credentials' },
      headers,
    )
  async function callFrom(host: Host, token: unknown, headers = {}) {
    const response = await fetch(`http://localhost:${host.port}/api/invoices/list`, {
      headers: { authorization: `Bearer ${String(token)}`, ...headers },
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as object }
  }

  it('behind a trusted proxy, a token is issued to and accepted from the allowed network only', async () => {
    const host = await start(1)
    const key = await createKey(host, [OFFICE, '2001:db8::/32'])
    const rejected = await tokenOf(host, key, FROM_ELSEWHERE)
    expect(rejected).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
    expect(rejected.body['error_description']).toContain('may not be used from 198.51.100.1')
    const { status, body } = await tokenOf(host, key, FROM_OFFICE)
    expect(status).toBe(200)
    const token = body['access_token']
    const claims = JSON.parse(Buffer.from(String(token).split('.')[1]!, 'base64url').toString()) as object
    expect(claims).toMatchObject({ allowed_networks: `${OFFICE} 2001:db8::/32` })

    // The second call finds the token in the cache.
    for (const _ of [1, 2]) {
      expect((await callFrom(host, token, FROM_OFFICE)).status).toBe(200)
      expect((await callFrom(host, token, { 'x-forwarded-for': '2001:db8:5::1' })).status).toBe(200)
      expect((await callFrom(host, token, { 'x-forwarded-for': '::ffff:203.0.113.77' })).status).toBe(200)
      const elsewhere = await callFrom(host, token, FROM_ELSEWHERE)
      expect(elsewhere).toMatchObject({ status: 403, body: { error: 'access_denied' } })
      expect(JSON.stringify(elsewhere.body)).toContain('must set app.proxy')
      expect(elsewhere.headers.get('www-authenticate')).toBeNull()
    }
  })

  it('an address that a stranger writes into X-Forwarded-For counts neither with nor without a trusted proxy', async () => {
    const behindProxy = await start(1)
    const key = await createKey(behindProxy, [OFFICE])
    const { body } = await tokenOf(behindProxy, key, FROM_OFFICE)
    const forged = { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' }
    expect((await callFrom(behindProxy, body['access_token'], forged)).status).toBe(403)
    expect((await tokenOf(behindProxy, key, forged)).status).toBe(400)

    const direct = await start(0, makeStore(data), behindProxy.origin)
    expect((await callFrom(direct, body['access_token'], FROM_OFFICE)).status).toBe(403)
    expect((await tokenOf(direct, key, FROM_OFFICE)).status).toBe(400)
    expect((await tokenOf(direct, key, FROM_OFFICE)).status).toBe(400)
    // The token endpoint and the gateway have one check, which warns once.
    const said = warned.filter(([, text]) => String(text).includes('set app.proxy'))
    expect(said).toHaveLength(1)
  })

  it('a change of the addresses revokes the tokens issued so far, and other changes do not', async () => {
    const host = await start()
    const key = await createKey(host, ['127.0.0.1', '::1'])
    const { body } = await tokenOf(host, key)
    const isAccepted = async () => (await callFrom(host, body['access_token'])).status
    expect(await isAccepted()).toBe(200)
    const { apiKeys } = host.gatehouse
    await apiKeys.update(key.client_id, { allowedAddresses: ['127.0.0.1', '::1'], name: 'Bureau' })
    expect(await isAccepted()).toBe(200)
    const changed = await apiKeys.update(key.client_id, { allowedAddresses: ['127.0.0.0/8', '::1'] })
    expect(changed).toMatchObject({ allowedAddresses: ['127.0.0.0/8', '::1'], epoch: 1 })
    expect(await isAccepted()).toBe(401)
    expect((await tokenOf(host, key)).status).toBe(200)
    expect(await apiKeys.update(key.client_id, { allowedAddresses: [] })).toMatchObject({ epoch: 2 })
    const free = await tokenOf(host, key)
    expect(String(free.body['access_token']).split('.')[1]).toBeDefined()
    expect((await callFrom(host, free.body['access_token'])).status).toBe(200)
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id })
    expect(items.map(({ change }) => change)).toContain('allowedAddresses')
  })

  it('an application exchanges codes and refreshes from its addresses only', async () => {
    const host = await start(1)
    const application = await host.createApplication()
    const connected = await connect(host, application)
    await host.gatehouse.applications.update(application.client_id, { allowedAddresses: [OFFICE] })
    const parameters = { ...application, grant_type: 'refresh_token', refresh_token: connected.refresh_token }
    const rejected = await host.token(parameters, FROM_ELSEWHERE)
    expect(rejected).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
    const refreshed = await host.token(parameters, FROM_OFFICE)
    expect(refreshed.status).toBe(200)
    expect((await callFrom(host, refreshed.body['access_token'], FROM_OFFICE)).status).toBe(200)
    expect((await callFrom(host, refreshed.body['access_token'], FROM_ELSEWHERE)).status).toBe(403)
    const userInfo = async (headers: Record<string, string>) =>
      fetch(`${host.issuer}/oauth2/userinfo`, {
        headers: { authorization: `Bearer ${String(refreshed.body['access_token'])}`, ...headers },
      })
    expect((await userInfo(FROM_ELSEWHERE)).status).toBe(401)
    expect((await userInfo(FROM_OFFICE)).status).not.toBe(401)
  })

  it('outside of Koa the host passes the address, and without it the answer is 403 with the cause', async () => {
    const host = await start(1)
    const key = await createKey(host, [OFFICE])
    const { body } = await tokenOf(host, key, FROM_OFFICE)
    const call = {
      method: 'GET',
      url: '/api/invoices/list',
      headers: { authorization: `Bearer ${String(body['access_token'])}` },
    }
    const gateway = createGateway({ issuer: host.issuer, audience: host.audience, products, logger })
    try {
      for (const each of [host.gatehouse.gateway, gateway]) {
        expect(await each.authenticate(call, { address: '203.0.113.1' })).toMatchObject({ ok: true })
        expect(await each.authenticate(call, { address: '198.51.100.1' })).toMatchObject({ status: 403 })
        const unknown = await each.authenticate(call)
        expect(unknown).toMatchObject({ status: 403, error: 'access_denied' })
        expect(unknown.ok || unknown.body).toContain('pass it to authenticate()')
      }
    } finally {
      await gateway.close()
    }
  })

  it('wrong lists are rejected: the form, the spelling, the number and the size', async () => {
    const host = await start()
    const problemsOf = async (allowedAddresses: unknown) =>
      host.gatehouse.apiKeys
        .create({ accountId: 'acme', name: 'x', allowedAddresses: allowedAddresses as string[] })
        .then(
          () => [],
          (error: { problems: { path: string; code: string }[] }) =>
            error.problems.map(({ path, code }) => `${path} ${code}`),
        )
    expect(await problemsOf('203.0.113.9')).toEqual(['allowedAddresses type'])
    expect(await problemsOf([7])).toEqual(['allowedAddresses[0] type'])
    expect(await problemsOf(['203.0.113.9/24', 'x', '0.0.0.0/0'])).toEqual([
      'allowedAddresses[0] network-spelling',
      'allowedAddresses[1] network',
      'allowedAddresses[2] network-all',
    ])
    expect(await problemsOf(['10.0.0.1', '10.0.0.1'])).toEqual(['allowedAddresses[1] duplicate'])
    const many = (count: number, of: (at: number) => string) =>
      Array.from({ length: count }, (_, at) => of(at))
    expect(await problemsOf(many(21, (at) => `10.0.0.${at}`))).toEqual(['allowedAddresses too-many'])
    expect(await problemsOf(many(20, (at) => `10.0.0.${at}`))).toEqual([])
    expect(await problemsOf(many(20, (at) => `2001:db8:1111:2222:3333:4444:5555:${at + 1}`))).toEqual([
      'allowedAddresses too-long',
    ])
    expect(await problemsOf(many(20, (at) => `2001:db8:${at + 100}::/48`))).toEqual([])
  })

  it('an export and an import keep the addresses', async () => {
    const host = await start()
    const key = await createKey(host, [OFFICE])
    const lines: string[] = []
    for await (const line of exportRegistry(host.gatehouse)) lines.push(line)
    const other = await start(0, makeStore())
    await importRegistry(other.gatehouse, lines)
    await vi.waitFor(async () =>
      expect(await other.gatehouse.apiKeys.find(key.client_id)).toMatchObject({ allowedAddresses: [OFFICE] }),
    )
  })
})
