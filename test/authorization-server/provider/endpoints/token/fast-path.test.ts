import { decodeJwt } from 'jose'
import { hashSecret, type GatehouseOptions, type Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { Provider } from 'oidc-provider'
import { afterEach, describe, expect, it } from 'vitest'
import { randomId } from '../../../../../src/keys/random-id.ts'
import { products } from '../../../../fixtures/products.ts'
import { withoutFastPath } from '../../../../support/direct-access/without-fast-path.ts'
import { startHost, type Host } from '../../../../support/host.ts'
import { basic } from '../../../../support/host-requests.ts'

let host: Host
afterEach(() => host.close())

const SECRET = 'a secret of a key'
const key = { clientId: 'k', accountId: 'acme', name: 'K', products: ['invoices'] }

describe.each([true, false])('direct access with the fast path: %s', (isFast) => {
  /** Starts a host, and runs `during` whenever it looks up an account. */
  async function start(gatehouse: Partial<GatehouseOptions> = {}, during = async () => {}) {
    host = await startHost({
      gatehouse: {
        accounts: {
          async find(id: string) {
            await during()
            return { id }
          },
        },
        ...gatehouse,
      },
      above: isFast ? [] : [withoutFastPath],
    })
    await host.gatehouse.ready()
  }

  it('a request with the secret in the body or in the header gets a token, which oidc-provider issues only without the fast path', async () => {
    await start()
    const client = await host.createApiKey()
    const issuedByProvider: boolean[] = []
    host.gatehouse.on('token.issued', () => issuedByProvider.push(Provider.ctx !== undefined))
    const form = { grant_type: 'client_credentials', scope: 'invoices:read', resource: host.audience }
    const answers = [
      await host.requestDirectToken(client),
      await host.token({ ...client, ...form }),
      await host.token(form, basic(client)),
      await host.token({ ...form, client_id: client.client_id }, basic(client)),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(200)
      expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(200)
    }
    expect(issuedByProvider).toEqual(Array.from(answers, () => !isFast))
  })

  it('a wrong secret in the header is answered with a challenge, one in the body without, also beside an empty header (RFC 6749 5.2)', async () => {
    await start()
    const { client_id } = await host.createApiKey()
    const wrong = { client_id, client_secret: 'wrong' }
    const ask = async (headers: Record<string, string>, credentials: object = wrong) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
      const response = await fetch(`${host.issuer}/oauth2/token`, { method: 'POST', body, headers })
      return [response.status, response.headers.has('www-authenticate')]
    }
    expect(await ask(basic(wrong), {})).toEqual([401, true])
    expect(await ask({})).toEqual([401, false])
    expect(await ask({ authorization: '' })).toEqual([401, false])
  })

  it('each request looks up its client and its account once', async () => {
    const calls: string[] = []
    const store = memoryStore()
    const watched: Store = {
      ...store,
      async get(name) {
        if (/^client:(k|unknown)$/.test(name)) calls.push('find')
        return store.get(name)
      },
    }
    await start({ store: watched }, async () => void calls.push('account'))
    await host.gatehouse.apiKeys.create({ ...key, secretHash: hashSecret(SECRET) })
    // This waits until the audit entry of the new key is written.
    await host.gatehouse.audit.list()
    const callsOf = async (id: string, secret: string, parameters = {}) => {
      calls.splice(0)
      const { status } = await host.requestDirectToken({ client_id: id, client_secret: secret }, parameters)
      return [status, ...calls]
    }
    expect(await callsOf('unknown', SECRET)).toEqual([401, 'find'])
    expect(await callsOf('k', 'wrong')).toEqual([401, 'find'])
    // The client is cached now.
    expect(await callsOf('k', SECRET, { scope: 'payments:list' })).toEqual([400, 'account'])
    expect(await callsOf('k', SECRET)).toEqual([200, 'account'])
  })

  it('a store that fails is asked once, and the answer is 503', async () => {
    const store = memoryStore()
    let failures: number | undefined
    const failing: Store = {
      ...store,
      async get(name) {
        if (failures === undefined) return store.get(name)
        // Other reads, in the background, are not counted.
        if (name.includes('key_1')) failures += 1
        throw new Error('the store is down')
      },
    }
    await start({ store: failing })
    failures = 0
    const { status, body } = await host.requestDirectToken({ client_id: 'key_1', client_secret: 'x' })
    expect([status, body['error'], failures]).toEqual([503, 'temporarily_unavailable', 1])
  })

  it('an account lookup that throws is made once, and the answer is 500', async () => {
    let lookups = 0
    await start({}, async () => {
      lookups += 1
      throw new Error('the accounts are not available')
    })
    const { status, body } = await host.requestDirectToken(await host.createApiKey())
    expect([status, body['error'], lookups]).toEqual([500, 'server_error', 1])
    expect(host.errors).toHaveLength(1)
  })

  it('a token is rejected if its API key is disabled while the token is issued', async () => {
    let during = async () => {}
    await start({}, () => during())
    const client = await host.createApiKey()
    during = async () => void (await host.gatehouse.apiKeys.disable(client.client_id))
    const { status, body } = await host.requestDirectToken(client)
    expect(status).toBe(200)
    expect((await host.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
    expect((await host.requestDirectToken(client)).status).toBe(401)
  })

  it('a token is accepted if the keys rotate while it is issued, and the next token has the new key', async () => {
    let during = async () => {}
    await start({}, () => during())
    const client = await host.createApiKey()
    during = () => host.gatehouse.signingKeys.rotate()
    const old = String((await host.requestDirectToken(client)).body['access_token'])
    during = async () => {}
    const next = String((await host.requestDirectToken(client)).body['access_token'])
    expect(next.split('.')[0]).not.toBe(old.split('.')[0])
    for (const token of [old, next]) expect((await host.call('GET /invoices/list', token)).status).toBe(200)
  })

  it('a token is rejected if its key is revoked while it is issued, and the next token is accepted', async () => {
    let during = async () => {}
    await start({}, () => during())
    const client = await host.createApiKey()
    during = async () => {
      const keys = await host.gatehouse.signingKeys.list()
      const current = keys.find(({ alg, state }) => alg === 'ES256' && state === 'current')
      await host.gatehouse.signingKeys.revoke(current?.kid ?? '')
    }
    const revoked = String((await host.requestDirectToken(client)).body['access_token'])
    expect((await host.call('GET /invoices/list', revoked)).status).toBe(401)
    during = async () => {}
    const next = String((await host.requestDirectToken(client)).body['access_token'])
    expect((await host.call('GET /invoices/list', next)).status).toBe(200)
  })

  it('a token has the scopes and the epoch of one catalog if the products change while it is issued', async () => {
    let loaded: GatehouseOptions['products'] = products
    let during = async () => {}
    await start({ products: () => loaded as typeof products }, () => during())
    const client = await host.createApiKey(['invoices'])
    during = async () => {
      const { 'invoices:read': read } = products.invoices.operations
      loaded = { ...products, invoices: { title: 'Invoices', operations: { 'invoices:read': read } } }
      await host.gatehouse.catalog.reload()
    }
    const token = String((await host.requestDirectToken(client)).body['access_token'])
    expect(decodeJwt(token)).toMatchObject({ scope: 'invoices:read invoices:create', catalog_epoch: 0 })
    // The products have lost an operation of the token, so the token is revoked.
    expect((await host.call('GET /invoices/list', token)).status).toBe(401)
    during = async () => {}
    const next = String((await host.requestDirectToken(client)).body['access_token'])
    expect(decodeJwt(next)).toMatchObject({ scope: 'invoices:read', catalog_epoch: 1 })
  })

  it('the last use of the key is recorded', async () => {
    await start()
    const client = await host.createApiKey()
    expect((await host.gatehouse.apiKeys.find(client.client_id))?.lastUsedAt).toBeUndefined()
    await host.requestDirectToken(client)
    await expect
      .poll(async () => (await host.gatehouse.apiKeys.find(client.client_id))?.lastUsedAt)
      .toBeTypeOf('number')
  })
})

describe('random ids', () => {
  it('have 32 bytes in base64url, and no two are equal, however many are drawn', () => {
    const ids = Array.from({ length: 1000 }, randomId)
    expect(ids.every((id) => /^[\w-]{43}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(1000)
    const bytes = new Set(ids.flatMap((id) => [...Buffer.from(id, 'base64url')]))
    expect(bytes.size).toBe(256)
  })
})
