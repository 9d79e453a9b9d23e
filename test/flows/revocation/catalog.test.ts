// Also runs on: Redis
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ProductDefinitions } from 'koa-gatehouse'
import { mintToken } from 'koa-gatehouse/testing'
import { faultyStore } from '../../support/faulty-store.ts'
import { products } from '../../fixtures/products.ts'
import { authorize, connect, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { pausingStore } from '../../support/pausing-store.ts'
import { expectAccepted, expectRejected, freezeSecond } from '../../support/token-checks.ts'
import { describeEachStore } from '../../support/stores.ts'

const { invoices, payments } = products
/** The products without the operation `payments:transfer` of the product `payments`. */
const withoutTransfer = {
  invoices,
  payments: { ...payments, operations: { 'payments:list': payments.operations['payments:list'] } },
} as const
/** The products and one more product, `statements`, which shares an operation with `payments`. */
const shared = {
  ...products,
  statements: { title: 'Statements', operations: { 'payments:list': payments.operations['payments:list'] } },
} as const

const direct = { grant_type: 'client_credentials' }

/** The database that the processes of a host load their products from. */
function createDatabase(initial: ProductDefinitions = products) {
  const database = { products: initial, load: async () => database.products }
  return database
}

async function start(options: HostOptions, first?: Host): Promise<Host> {
  const address = first && { issuer: first.issuer, audience: first.audience }
  const host = await startHost({ ...options, gatehouse: { ...address, ...options.gatehouse } })
  onTestFinished(() => host.close())
  await host.gatehouse.ready()
  return host
}

const tokenOf = async (host: Host, parameters: Record<string, string>) =>
  String((await host.token(parameters)).body['access_token'])

beforeEach(freezeSecond)
afterEach(() => void vi.useRealTimers())

describeEachStore('revocation when an operation leaves a product', (makeStore) => {
  describe('a catalog loaded from a database', () => {
    /** Starts two processes on one store. */
    async function startTwo(initial: ProductDefinitions = products) {
      const [database, data] = [createDatabase(initial), crypto.randomUUID()]
      const gatehouse = { products: database.load }
      const first = await start({ store: makeStore(data), gatehouse })
      const second = await start({ store: makeStore(data), gatehouse }, first)
      /** Changes the products, and waits until the second process has loaded the new products. */
      async function change(next: ProductDefinitions) {
        const reloaded = new Promise((resolve) => second.gatehouse.on('catalog.reloaded', resolve))
        database.products = next
        await first.gatehouse.catalog.reload()
        await reloaded
      }
      return { first, second, change, data }
    }

    it('removing an operation revokes the tokens with this operation in both processes, and revokes no other tokens', async () => {
      const { first, second, change } = await startTwo()
      const [key, application] = [await first.createApiKey(), await first.createApplication()]
      const all = await tokenOf(first, { ...key, ...direct })
      const some = await tokenOf(second, { ...key, ...direct, scope: 'invoices:read payments:list' })
      const delegated = await connect(first, application)
      expect(decodeJwt(all)).toMatchObject({ catalog_epoch: 0 })
      for (const host of [first, second]) await expectAccepted(host, all)

      await change(withoutTransfer)
      for (const host of [first, second]) {
        await expectRejected(host, all)
        await expectRejected(host, delegated.access_token)
        await expectAccepted(host, some)
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        expect(decodeJwt(String(body['access_token']))).toMatchObject({ catalog_epoch: 1 })
        for (const other of [first, second]) await expectAccepted(other, body['access_token'])
      }

      // The application continues with the remaining operations.
      const refresh = { grant_type: 'refresh_token', refresh_token: delegated.refresh_token }
      const { status, body } = await second.token({ ...application, ...refresh })
      expect([status, body['scope']]).toEqual([200, 'invoices:read invoices:create payments:list'])
      for (const host of [first, second]) await expectAccepted(host, body['access_token'])
    })

    it('after a product is removed, its routes answer 404, and its tokens are rejected and inactive at introspection', async () => {
      const { first, second, change } = await startTwo()
      const key = await first.createApiKey()
      const token = await tokenOf(first, { ...key, ...direct, scope: 'payments:list' })
      expect((await second.post('/oauth2/introspect', { ...key, token })).body).toMatchObject({
        active: true,
      })
      await change({ invoices })
      for (const host of [first, second]) {
        await expectRejected(host, token)
        expect((await host.call('GET /payments/list', token)).status).toBe(404)
        const { status, body } = await host.post('/oauth2/introspect', { ...key, token })
        expect([status, body]).toEqual([200, { active: false }])
      }
      expect(first.reached).toEqual([])
    })

    it('removing a product revokes earlier tokens with its operations, even if another product of the client has one of these operations', async () => {
      const { first, second, change } = await startTwo(shared)
      const both = await first.createApiKey(['invoices', 'payments', 'statements'])
      const before = await tokenOf(first, { ...both, ...direct })
      const { statements } = shared
      await change({ invoices, statements })
      for (const host of [first, second]) {
        await expectRejected(host, before)
        const { body } = await host.token({ ...both, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        for (const other of [first, second]) await expectAccepted(other, body['access_token'])
      }
    })

    it('adding an operation to a product again restores no revoked token, and does not give the operation back to a client that lost it by removeOperation()', async () => {
      const { first, second, change, data } = await startTwo()
      const key = await first.createApiKey()
      await first.gatehouse.apiKeys.removeOperation(key.client_id, 'payments:transfer')
      const before = await tokenOf(first, { ...key, ...direct })
      await change({ invoices })
      await change(products)
      const restarted = await start({ store: makeStore(data), gatehouse: { products } }, first)
      for (const host of [first, second, restarted]) {
        await expectRejected(host, before)
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        for (const other of [first, second, restarted]) await expectAccepted(other, body['access_token'])
      }
    })

    it('when an operation is removed during a direct token request, the issued token is rejected', async () => {
      const database = createDatabase()
      let onFind: () => void = () => {}
      let released: Promise<void> | undefined
      const find = async (id: string) => {
        onFind()
        await released
        return { id, kycLevel: 'verified' }
      }
      const host = await start({
        store: makeStore(),
        gatehouse: { products: database.load, accounts: { find } },
      })
      const key = await host.createApiKey()
      const started = new Promise<void>((resolve) => (onFind = resolve))
      let release: () => void = () => {}
      released = new Promise((resolve) => (release = resolve))
      const request = host.token({ ...key, ...direct })
      await started
      database.products = withoutTransfer
      await host.gatehouse.catalog.reload()
      release()
      const { status, body } = await request
      expect(status).toBe(200)
      expect(body['scope']).toContain('payments:transfer')
      expect(decodeJwt(String(body['access_token']))).toMatchObject({ catalog_epoch: 0 })
      await expectRejected(host, body['access_token'])
      await expectAccepted(host, await tokenOf(host, { ...key, ...direct }))
    })

    it.each(['code', 'refresh token'])(
      'when an operation is removed during the exchange of a %s, the exchange gets no valid token with the operation',
      async (kind) => {
        const [database, pausing] = [createDatabase(), pausingStore(makeStore())]
        const host = await start({
          store: pausing.store,
          gatehouse: { products: database.load, storeTimeoutMs: 20_000 },
        })
        const application = await host.createApplication()
        const browser = host.browser()
        let { refresh_token: refreshToken } = await connect(host, application, { browser })
        const outcomes = new Set<string>()
        for (let call = 0; ; call += 1) {
          const secret =
            kind === 'code'
              ? {
                  grant_type: 'authorization_code',
                  code: (await authorize(host, application.client_id, { browser })).code,
                }
              : { grant_type: 'refresh_token', refresh_token: refreshToken }
          const pause = pausing.pauseAfter(call)
          const request = host.token({ ...application, ...secret }).finally(() => pause.end())
          const isPaused = await pause.reached
          if (isPaused) {
            database.products = withoutTransfer
            await host.gatehouse.catalog.reload()
          }
          pause.end()
          const { status, body } = await request
          expect(status).toBe(200)
          refreshToken = String(body['refresh_token'])
          if (!isPaused) break
          const isCarried = String(body['scope']).includes('payments:transfer')
          outcomes.add(isCarried ? 'rejected' : 'without it')
          await (isCarried ? expectRejected : expectAccepted)(host, body['access_token'])
          database.products = products
          await host.gatehouse.catalog.reload()
        }
        expect(outcomes).toEqual(new Set(['rejected', 'without it']))
      },
    )

    it('when a process crashes before it has revoked the tokens with a removed operation, the next process completes the revocation', async () => {
      const [database, data] = [createDatabase(), crypto.randomUUID()]
      const faulty = faultyStore(makeStore(data))
      const gatehouse = { products: database.load }
      const first = await start({ store: faulty.store, gatehouse })
      const second = await start({ store: makeStore(data), gatehouse: { products } }, first)
      const token = await tokenOf(second, { ...(await first.createApiKey()), ...direct })
      database.products = withoutTransfer
      faulty.arm('add revocations', 'rejected', { thenAway: true })
      await expect(first.gatehouse.catalog.reload()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      await expectAccepted(second, token)

      const next = await start({ store: makeStore(data), gatehouse }, first)
      await expectRejected(next, token)
      await vi.waitFor(() => expectRejected(second, token))
    })
  })

  describe('a catalog in the code of a process', () => {
    it('a new process that lacks a product revokes the tokens of this product in every process, and new tokens are valid once a process that has the product starts', async () => {
      const data = crypto.randomUUID()
      const warn = vi.fn()
      const logger = { debug() {}, info() {}, warn, error() {} }
      const old = await start({ store: makeStore(data), gatehouse: { logger } })
      const key = await old.createApiKey()
      const before = await tokenOf(old, { ...key, ...direct })

      const next = await start({ store: makeStore(data), gatehouse: { products: { invoices } } }, old)
      await expectRejected(next, before)
      await vi.waitFor(async () => expect((await old.call('GET /payments/list')).status).toBe(404))
      await expectRejected(old, before)
      for (const host of [old, next]) {
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create')
        for (const other of [old, next]) await expectAccepted(other, body['access_token'])
      }
      // A busy machine may also warn of the store.
      expect(warn.mock.calls.filter(([fields]) => 'operations' in Object(fields))).toEqual([
        [
          { operations: ['payments:list of payments', 'payments:transfer of payments'] },
          expect.stringContaining('not available any more'),
        ],
      ])

      const rollback = await start({ store: makeStore(data) }, old)
      await vi.waitFor(async () => expect((await old.call('GET /payments/list')).status).toBe(401))
      for (const host of [old, rollback]) {
        const token = await tokenOf(host, { ...key, ...direct })
        expect((await old.call('GET /payments/list', token)).status).toBe(200)
        await expectRejected(host, before)
      }
    })
  })
})

describe('mintToken() after an operation has left a product and come back', () => {
  it('mintToken() makes valid tokens with an operation that left a product and came back', async () => {
    const database = createDatabase()
    const host = await start({ gatehouse: { products: database.load } })
    for (const next of [{ invoices }, products]) {
      database.products = next
      await host.gatehouse.catalog.reload()
    }
    const token = await mintToken(
      host.gatehouse,
      { accountId: 'alice', scopes: ['payments:list'] },
      { allowPersistentStore: true },
    )
    expect(decodeJwt(token)).toMatchObject({ catalog_epoch: 1 })
    expect((await host.call('GET /payments/list', token)).status).toBe(200)
  })
})
