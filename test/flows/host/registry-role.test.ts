import { createHash, timingSafeEqual } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { HostApiKey, HostApplication, Registry } from 'koa-gatehouse'
import { mintToken } from 'koa-gatehouse/testing'
import { authorizationUrl, authorize, CALLBACK, connect, startHost, type Host } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

/** A row of a table of the host, with a column that gatehouse does not know. */
type Row = (HostApiKey | HostApplication) & { readonly secretHash: Buffer }

const sha256 = (text: string) => createHash('sha256').update(text).digest()

/**
 * A typical registry of a host. It keeps rows in a table, and `find` ignores the letter case of the client
 * id.
 */
class HostRegistry implements Registry<Row> {
  readonly rows = new Map<string, Row>()
  readonly verified: Row[] = []
  async find(clientId: string) {
    return this.rows.get(clientId.toLowerCase()) ?? null
  }
  async verifySecret(row: Row, secret: string) {
    this.verified.push(row)
    return timingSafeEqual(row.secretHash, sha256(secret))
  }
}

const key = { client_id: 'nightly', client_secret: 'the secret of the key' }
const app = { client_id: 'ledger', client_secret: 'the secret of the app' }
const direct = { grant_type: 'client_credentials' }

describeEachStore("API keys and applications in the host's tables", (makeStore) => {
  let host: Host
  let registry: HostRegistry
  beforeEach(async () => {
    registry = new HostRegistry()
    const common = { accountId: 'acme', products: ['invoices'] }
    registry.rows.set('nightly', {
      ...common,
      kind: 'apiKey',
      clientId: 'nightly',
      name: 'Nightly export',
      secretHash: sha256(key.client_secret),
    })
    registry.rows.set('ledger', {
      ...common,
      kind: 'application',
      clientId: 'ledger',
      name: 'Ledger',
      redirectUris: [CALLBACK],
      secretHash: sha256(app.client_secret),
    })
    host = await startHost({ store: makeStore(), gatehouse: { registry } })
    await host.gatehouse.ready()
  })
  afterEach(() => host.close())

  /** Changes values of a row. */
  function change(clientId: string, values: object): void {
    registry.rows.set(clientId, { ...registry.rows.get(clientId)!, ...values })
  }

  it('a row with only the required fields gives a complete direct token', async () => {
    const { status, body } = await host.requestDirectToken(key)
    expect([status, body['scope']]).toEqual([200, 'invoices:read invoices:create'])
    const token = String(body['access_token'])
    expect(decodeJwt(token)).toMatchObject({
      access_mode: 'direct',
      account_id: 'acme',
      client_id: 'nightly',
      access_epoch: 0,
    })
    expect(await host.call('GET /invoices/list', token)).toMatchObject({
      status: 200,
      body: { auth: { mode: 'direct', accountId: 'acme', clientId: 'nightly' } },
    })
    expect((await host.call('GET /payments/list', token)).status).toBe(403)
    // `verifySecret` gets the same object that `find` returned, so it can read `secretHash`.
    expect(registry.verified[0]).toBe(registry.rows.get('nightly'))
  })

  it('a row with null for missing values gives valid tokens (fixed bug: the gateway rejected the tokens)', async () => {
    const empty = { userId: null, removedOperations: null, disabled: null, epoch: null, createdAt: null }
    change('nightly', empty)
    change('ledger', {
      ...empty,
      postLogoutRedirectUris: null,
      homepageUri: null,
      logoUri: null,
      privacyUri: null,
      termsUri: null,
      firstParty: null,
    })
    const { body } = await host.requestDirectToken(key)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    const tokens = await connect(host, app)
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
  })

  it('an application in a table of the host gets consent, exchanges a code, refreshes tokens and calls the API', async () => {
    const first = await connect(host, app, { parameters: { scope: 'openid profile invoices:read' } })
    expect(decodeJwt(first.access_token)).toMatchObject({
      access_mode: 'delegated',
      account_id: 'alice',
      access_epoch: 0,
    })
    const { refresh_token } = first
    const refreshed = await host.refresh(app, refresh_token)
    expect([refreshed.status, refreshed.body['scope']]).toEqual([200, 'openid profile invoices:read'])
    const called = await host.call('GET /invoices/7', String(refreshed.body['access_token']))
    expect(called).toMatchObject({ status: 200, body: { auth: { mode: 'delegated', accountId: 'alice' } } })
  })

  it('the next token reflects a change of a row', async () => {
    change('nightly', {
      userId: 'ann',
      products: ['invoices', 'payments'],
      removedOperations: ['payments:transfer'],
      epoch: 4,
    })
    const { body } = await host.requestDirectToken(key)
    expect(body['scope']).toBe('invoices:read invoices:create payments:list')
    expect(decodeJwt(String(body['access_token']))).toMatchObject({ access_epoch: 4, user_id: 'ann' })
  })

  it('a wrong secret, an unknown client and a disabled client get the same response', async () => {
    const wrong = await host.token({ ...key, ...direct, client_secret: app.client_secret })
    const unknown = await host.token({ ...key, ...direct, client_id: 'unknown' })
    change('nightly', { disabled: true })
    registry.verified.length = 0
    const disabled = await host.requestDirectToken(key)
    for (const { status, text } of [wrong, unknown, disabled])
      expect([status, text]).toEqual([401, wrong.text])
    expect(wrong.body['error']).toBe('invalid_client')
    // Gatehouse does not call `verifySecret` for a disabled client.
    expect(registry.verified).toEqual([])
  })

  it('a row can be a resource server, and introspection follows changes of the row immediately', async () => {
    const { body } = await host.requestDirectToken(key)
    const token = String(body['access_token'])
    const monitor = { client_id: 'monitor', client_secret: 'the secret of the monitor' }
    registry.rows.set('monitor', {
      kind: 'apiKey',
      clientId: 'monitor',
      accountId: 'acme',
      name: 'Monitor',
      products: [],
      secretHash: sha256(monitor.client_secret),
    })
    const introspect = async () => (await host.introspect(monitor, token)).body['active']
    const feed = async () => {
      const credentials = Buffer.from(`monitor:${encodeURIComponent(monitor.client_secret)}`).toString(
        'base64',
      )
      const headers = { authorization: `Basic ${credentials}` }
      return (await fetch(`${host.issuer}/oauth2/revocations`, { headers })).status
    }
    expect([await introspect(), await feed()]).toEqual([false, 403])
    change('monitor', { resourceServer: true })
    expect([await introspect(), await feed()]).toEqual([true, 200])
    // A gateway does not know of this change, because the host has not reported the change. Introspection
    // reads the row, so it knows the change.
    change('nightly', { disabled: true })
    expect(await introspect()).toBe(false)
    change('nightly', { disabled: false })
    expect(await introspect()).toBe(true)
    registry.rows.delete('nightly')
    expect(await introspect()).toBe(false)
  })

  it('an application that is disabled in its row gets no code and cannot refresh tokens', async () => {
    const { refresh_token } = await connect(host, app)
    change('ledger', { disabled: true })
    const refreshed = await host.refresh(app, refresh_token)
    expect([refreshed.status, refreshed.body['error']]).toEqual([401, 'invalid_client'])
    const page = await host.browser().open(authorizationUrl(host, 'ledger'))
    expect([page.status, page.url.searchParams.get('code')]).toEqual([400, null])
  })

  it('a client id in another letter case is rejected with 401 (fixed bug: a case-insensitive look-up led to a 500)', async () => {
    const unknown = await host.token({ ...key, ...direct, client_id: 'unknown' })
    const other = await host.token({ ...key, ...direct, client_id: 'NIGHTLY' })
    expect([other.status, other.text]).toEqual([401, unknown.text])
    const page = await host.browser().open(authorizationUrl(host, 'Ledger'))
    expect([page.status, page.url.searchParams.get('code')]).toEqual([400, null])
    expect(registry.verified).toEqual([])
  })

  it('if a row is invalid, the client gets 500, and only the host gets the reason', async () => {
    const failures: Error[] = []
    host.gatehouse.on('error', ({ error }) => failures.push(error))
    change('nightly', { products: 'invoices', secretNote: 'confidential' })
    const { status, body, text } = await host.requestDirectToken(key)
    expect([status, body['error']]).toEqual([500, 'server_error'])
    expect(text).not.toContain('products')
    expect(failures).toEqual([
      expect.objectContaining({
        code: 'ERR_HOST_CALLBACK',
        message: expect.stringContaining('products: must be a list, and is a text'),
      }),
    ])
    expect(failures[0]?.message).not.toContain('confidential')
  })

  it('a result of verifySecret that is not a boolean gives no token', async () => {
    registry.verifySecret = (async () => ({ valid: false })) as never
    const { status, body } = await host.requestDirectToken(key)
    expect([status, body['error']]).toEqual([500, 'server_error'])
    expect(body).not.toHaveProperty('access_token')
  })

  it('the client services reject all calls, because the host manages the clients', async () => {
    const { apiKeys, applications } = host.gatehouse
    const attempts = [
      apiKeys.create({ accountId: 'acme', name: 'Key' }),
      apiKeys.find('nightly'),
      applications.addProduct('ledger', 'payments'),
      applications.delete('ledger'),
    ]
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({ code: 'ERR_REGISTRY_READ_ONLY' })
    expect(registry.rows.size).toBe(2)
  })

  it('consent is remembered for an application in a row, and its code is rejected after the row is deleted', async () => {
    const { browser } = await authorize(host, 'ledger')
    const again = await browser.open(authorizationUrl(host, 'ledger'))
    const code = again.url.searchParams.get('code') ?? ''
    expect(code).not.toBe('')
    registry.rows.delete('ledger')
    const rejected = await host.exchangeCode(app, code)
    expect([rejected.status, rejected.body['error']]).toEqual([401, 'invalid_client'])
  })
})

describeEachStore("mintToken with the host's registry", (makeStore) => {
  it('mintToken makes tokens that the gateway accepts when the host manages the clients', async () => {
    const registry = new HostRegistry()
    const host = await startHost({ store: makeStore(), gatehouse: { registry } })
    try {
      const minted = await mintToken(
        host.gatehouse,
        { accountId: 'alice', scopes: ['invoices:read'], expiresIn: 60 },
        { allowPersistentStore: true },
      )
      const called = await host.call('GET /invoices/list', minted)
      expect(called).toMatchObject({ status: 200, body: { auth: { accountId: 'alice' } } })
      expect((await host.call('POST /invoices/create', minted)).status).toBe(403)
    } finally {
      await host.close()
    }
  })
})
