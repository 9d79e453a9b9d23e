import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import type { HostClient, Registry } from 'koa-gatehouse'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
const key = { client_id: 'nightly', client_secret: 'a secret of the nightly export' }

/** A host that keeps the clients itself. */
const row: HostClient = {
  kind: 'apiKey',
  clientId: 'nightly',
  accountId: 'acme',
  name: 'Key',
  products: ['invoices'],
}
const registry: Registry = { find: (id) => (id === 'nightly' ? row : undefined), verifySecret: () => true }

interface Case {
  readonly change: (host: Host) => Promise<unknown>
  /** The write that the process does not survive. */
  readonly last: string
  readonly options?: HostOptions['gatehouse']
}

const CASES: Readonly<Record<string, Case>> = {
  'removes a product': {
    change: ({ gatehouse }) => gatehouse.apiKeys.removeProduct('nightly', 'payments'),
    last: 'replace client',
  },
  'deletes an API key': {
    change: ({ gatehouse }) => gatehouse.apiKeys.delete('nightly'),
    last: 'replace client',
  },
  'takes all tokens of a client back': {
    change: ({ gatehouse }) => gatehouse.tokens.revokeAll({ clientId: 'nightly' }),
    last: 'replace client',
  },
  'takes those back of a client in a table of the host': {
    change: ({ gatehouse }) => gatehouse.tokens.revokeAll({ clientId: 'nightly' }),
    last: 'create client-epoch',
    options: { registry },
  },
}

describeEachStore('A process that ends between a change and its revocation', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  async function start(options: HostOptions): Promise<Host> {
    const host = await startHost(options)
    hosts.push(host)
    await host.gatehouse.ready()
    return host
  }

  it.each(Object.entries(CASES))(
    '%s: another process finishes it, and harms nobody else',
    async (_, test) => {
      const data = randomUUID()
      const faulty = faultyStore(makeStore(data))
      const first = await start({ store: faulty.store, gatehouse: test.options })
      /** Another process behind the same address, asked about a token. */
      const another = async () => {
        const { issuer, audience } = first
        const { gatehouse } = await start({
          store: makeStore(data),
          gatehouse: { ...test.options, issuer, audience },
        })
        return async (token: string) => {
          const url = `${new URL(audience).pathname}/invoices/list`
          const headers = { authorization: `Bearer ${token}` }
          return (await gatehouse.gateway.authenticate({ method: 'GET', url, headers })).ok
        }
      }
      const { apiKeys } = first.gatehouse
      const keys = [key]
      if (!test.options) {
        const nightly = await apiKeys.create({
          accountId: 'acme',
          name: 'Key',
          products: ['invoices', 'payments'],
          clientId: 'nightly',
        })
        keys[0] = { client_id: 'nightly', client_secret: nightly.clientSecret }
        keys.push(await first.createApiKey())
      }
      const issued = await Promise.all(keys.map((each) => first.token({ ...each, ...direct })))
      const [token = '', bystander] = issued.map(({ body }) => String(body['access_token']))

      faulty.arm(test.last, 'unanswered', { thenAway: true })
      await expect(test.change(first)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })

      // Nobody can know yet that the first one will not go on.
      const isGoodAtOnce = await another()
      expect(await isGoodAtOnce(token)).toBe(true)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 })
      const isGoodLater = await another()
      await vi.waitFor(async () => expect(await isGoodLater(token)).toBe(false), { timeout: 5000 })
      if (bystander !== undefined) expect(await isGoodLater(bystander)).toBe(true)
      const store = makeStore(data)
      await vi.waitFor(async () =>
        expect(await store.range('revocations:pending', { limit: 10 })).toEqual([]),
      )
    },
  )
})
