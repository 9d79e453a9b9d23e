import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ProductDefinitions } from 'koa-gatehouse'
import { mintToken } from 'koa-gatehouse/testing'
import { faultyStore } from '../../support/faulty-store.ts'
import { products } from '../../fixtures/products.ts'
import { authorize, connect, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { pausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'

const { invoices, payments } = products
/** An operation less in `payments`. */
const withoutTransfer = {
  invoices,
  payments: { ...payments, operations: { 'payments:list': payments.operations['payments:list'] } },
} as const
/** One more product, which shares an operation. */
const shared = {
  ...products,
  statements: { title: 'Statements', operations: { 'payments:list': payments.operations['payments:list'] } },
} as const

const direct = { grant_type: 'client_credentials' }
const CALL = 'GET /invoices/list'

/** What the processes of a host load their products from. */
function createDatabase(initial: ProductDefinitions = products) {
  const database = { products: initial, load: async () => database.products }
  return database
}

async function start(options: HostOptions, of?: Host): Promise<Host> {
  const address = of && { issuer: of.issuer, audience: of.audience }
  const host = await startHost({ ...options, gatehouse: { ...address, ...options.gatehouse } })
  onTestFinished(() => host.close())
  await host.gatehouse.ready()
  return host
}

async function expectDead(host: Host, token: unknown): Promise<void> {
  const reached = host.reached.length
  const { status, headers, body } = await host.call(CALL, String(token))
  expect([status, body['error']]).toEqual([401, 'invalid_token'])
  expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="invalid_token"/)
  expect(host.reached).toHaveLength(reached)
}

async function expectGood(host: Host, token: unknown): Promise<void> {
  expect((await host.call(CALL, String(token))).status).toBe(200)
}

const tokenOf = async (host: Host, parameters: Record<string, string>) =>
  String((await host.token(parameters)).body['access_token'])

// All of a test within one second, which is all that `iat` tells.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 1000) * 1000 }))
afterEach(() => void vi.useRealTimers())

describeEachStore('An operation that leaves a product', (makeStore) => {
  describe('of a database', () => {
    /** Two processes on one store. */
    async function startTwo(initial: ProductDefinitions = products) {
      const [database, data] = [createDatabase(initial), crypto.randomUUID()]
      const gatehouse = { products: database.load }
      const here = await start({ store: makeStore(data), gatehouse })
      const there = await start({ store: makeStore(data), gatehouse }, here)
      /** Changes the products, and waits until the other process has heard of it. */
      async function change(to: ProductDefinitions) {
        const heard = new Promise((resolve) => there.gatehouse.on('catalog.reloaded', resolve))
        database.products = to
        await here.gatehouse.catalog.reload()
        await heard
      }
      return { here, there, change, data }
    }

    it('revokes the tokens that carry it on both processes, and none that does not or comes after', async () => {
      const { here, there, change } = await startTwo()
      const [key, application] = [await here.createApiKey(), await here.createApplication()]
      const all = await tokenOf(here, { ...key, ...direct })
      const some = await tokenOf(there, { ...key, ...direct, scope: 'invoices:read payments:list' })
      const delegated = await connect(here, application)
      expect(decodeJwt(all)).toMatchObject({ catalog_epoch: 0 })
      for (const host of [here, there]) await expectGood(host, all)

      await change(withoutTransfer)
      for (const host of [here, there]) {
        await expectDead(host, all)
        await expectDead(host, delegated.access_token)
        await expectGood(host, some)
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        expect(decodeJwt(String(body['access_token']))).toMatchObject({ catalog_epoch: 1 })
        for (const other of [here, there]) await expectGood(other, body['access_token'])
      }

      // The application goes on with what is left.
      const refresh = { grant_type: 'refresh_token', refresh_token: delegated.refresh_token }
      const { status, body } = await there.token({ ...application, ...refresh })
      expect([status, body['scope']]).toEqual([200, 'invoices:read invoices:create payments:list'])
      for (const host of [here, there]) await expectGood(host, body['access_token'])
    })

    it('takes all others with it where the product is gone: 404 at the gateway, and not active', async () => {
      const { here, there, change } = await startTwo()
      const key = await here.createApiKey()
      const token = await tokenOf(here, { ...key, ...direct, scope: 'payments:list' })
      expect((await there.post('/oauth2/introspect', { ...key, token })).body).toMatchObject({ active: true })
      await change({ invoices })
      for (const host of [here, there]) {
        await expectDead(host, token)
        expect((await host.call('GET /payments/list', token)).status).toBe(404)
        const { status, body } = await host.post('/oauth2/introspect', { ...key, token })
        expect([status, body]).toEqual([200, { active: false }])
      }
      expect(here.reached).toEqual([])
    })

    it('revokes earlier tokens of those too who have it through another product, and no later ones', async () => {
      const { here, there, change } = await startTwo(shared)
      const both = await here.createApiKey(['invoices', 'payments', 'statements'])
      const before = await tokenOf(here, { ...both, ...direct })
      const { statements } = shared
      await change({ invoices, statements })
      for (const host of [here, there]) {
        await expectDead(host, before)
        const { body } = await host.token({ ...both, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        for (const other of [here, there]) await expectGood(other, body['access_token'])
      }
    })

    it('and comes back: what was dead stays dead, also after a restart, and an operation taken off stays off', async () => {
      const { here, there, change, data } = await startTwo()
      const key = await here.createApiKey()
      await here.gatehouse.apiKeys.removeOperation(key.client_id, 'payments:transfer')
      const before = await tokenOf(here, { ...key, ...direct })
      await change({ invoices })
      await change(products)
      const restarted = await start({ store: makeStore(data), gatehouse: { products } }, here)
      for (const host of [here, there, restarted]) {
        await expectDead(host, before)
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create payments:list')
        for (const other of [here, there, restarted]) await expectGood(other, body['access_token'])
      }
    })

    it('in the middle of a direct token request leaves the token dead on arrival', async () => {
      const database = createDatabase()
      let isAsked: () => void = () => {}
      let letGo: Promise<void> | undefined
      const find = async (id: string) => {
        isAsked()
        await letGo
        return { id, kycLevel: 'verified' }
      }
      const host = await start({
        store: makeStore(),
        gatehouse: { products: database.load, accounts: { find } },
      })
      const key = await host.createApiKey()
      const asked = new Promise<void>((resolve) => (isAsked = resolve))
      let answer: () => void = () => {}
      letGo = new Promise((resolve) => (answer = resolve))
      const request = host.token({ ...key, ...direct })
      await asked
      database.products = withoutTransfer
      await host.gatehouse.catalog.reload()
      answer()
      const { status, body } = await request
      expect(status).toBe(200)
      expect(body['scope']).toContain('payments:transfer')
      expect(decodeJwt(String(body['access_token']))).toMatchObject({ catalog_epoch: 0 })
      await expectDead(host, body['access_token'])
      await expectGood(host, await tokenOf(host, { ...key, ...direct }))
    })

    it.each(['code', 'refresh token'])(
      'in the middle of the exchange of a %s leaves no living token that carries it',
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
        for (let at = 0; ; at += 1) {
          const secret =
            kind === 'code'
              ? {
                  grant_type: 'authorization_code',
                  code: (await authorize(host, application.client_id, { browser })).code,
                }
              : { grant_type: 'refresh_token', refresh_token: refreshToken }
          const pause = pausing.pauseAfter(at)
          const request = host.token({ ...application, ...secret }).finally(() => pause.end())
          const isHeld = await pause.reached
          if (isHeld) {
            database.products = withoutTransfer
            await host.gatehouse.catalog.reload()
          }
          pause.end()
          const { status, body } = await request
          expect(status).toBe(200)
          refreshToken = String(body['refresh_token'])
          if (!isHeld) break
          const carriesIt = String(body['scope']).includes('payments:transfer')
          outcomes.add(carriesIt ? 'dead' : 'without it')
          await (carriesIt ? expectDead : expectGood)(host, body['access_token'])
          database.products = products
          await host.gatehouse.catalog.reload()
        }
        expect(outcomes).toEqual(new Set(['dead', 'without it']))
      },
    )

    it('and whose process ends before it has taken the tokens back: the next one does', async () => {
      const [database, data] = [createDatabase(), crypto.randomUUID()]
      const faulty = faultyStore(makeStore(data))
      const gatehouse = { products: database.load }
      const here = await start({ store: faulty.store, gatehouse })
      const there = await start({ store: makeStore(data), gatehouse: { products } }, here)
      const token = await tokenOf(there, { ...(await here.createApiKey()), ...direct })
      database.products = withoutTransfer
      faulty.arm('add revocations', 'rejected', { thenAway: true })
      await expect(here.gatehouse.catalog.reload()).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
      await expectGood(there, token)

      const next = await start({ store: makeStore(data), gatehouse }, here)
      await expectDead(next, token)
      await vi.waitFor(() => expectDead(there, token))
    })
  })

  describe('in the program of a process that starts', () => {
    it('ends in those that still have it in theirs, until one starts again that has it', async () => {
      const data = crypto.randomUUID()
      const warn = vi.fn()
      const logger = { debug() {}, info() {}, warn, error() {} }
      const old = await start({ store: makeStore(data), gatehouse: { logger } })
      const key = await old.createApiKey()
      const before = await tokenOf(old, { ...key, ...direct })

      const next = await start({ store: makeStore(data), gatehouse: { products: { invoices } } }, old)
      await expectDead(next, before)
      await vi.waitFor(async () => expect((await old.call('GET /payments/list')).status).toBe(404))
      await expectDead(old, before)
      for (const host of [old, next]) {
        const { body } = await host.token({ ...key, ...direct })
        expect(body['scope']).toBe('invoices:read invoices:create')
        for (const other of [old, next]) await expectGood(other, body['access_token'])
      }
      expect(warn.mock.calls).toEqual([
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
        await expectDead(host, before)
      }
    })

    it('takes nothing from those who have the same products, however many start', async () => {
      const data = crypto.randomUUID()
      const first = await start({ store: makeStore(data) })
      const token = await tokenOf(first, { ...(await first.createApiKey()), ...direct })
      const others = await Promise.all([1, 2, 3].map(() => start({ store: makeStore(data) }, first)))
      for (const host of [first, ...others]) await expectGood(host, token)
    })
  })
})

describe('mintToken after an operation has left a product and come back', () => {
  it('makes tokens that carry it and live', async () => {
    const database = createDatabase()
    const host = await start({ gatehouse: { products: database.load } })
    for (const to of [{ invoices }, products]) {
      database.products = to
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
