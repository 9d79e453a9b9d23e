// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { faultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const direct = { grant_type: 'client_credentials' }
interface Case {
  readonly change: (host: Host) => Promise<unknown>
  /** The write after which the process crashes. */
  readonly lastWrite: string
}

const CASES: Readonly<Record<string, Case>> = {
  'a product of a client is removed': {
    change: ({ gatehouse }) => gatehouse.apiKeys.removeProduct('nightly', 'payments'),
    lastWrite: 'replace client',
  },
  'an API key is deleted': {
    change: ({ gatehouse }) => gatehouse.apiKeys.delete('nightly'),
    lastWrite: 'replace client',
  },
  'all tokens of a client are revoked': {
    change: ({ gatehouse }) => gatehouse.tokens.revokeAll({ clientId: 'nightly' }),
    lastWrite: 'replace client',
  },
}

describeEachStore(
  'a process that crashes between a change of a client and the revocation of its tokens',
  (makeStore) => {
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
      'after a crash while %s, another process completes the revocation and revokes nothing else',
      async (_, crash) => {
        const data = randomUUID()
        const faulty = faultyStore(makeStore(data))
        const first = await start({ store: faulty.store })
        /**
         * Starts another process of the same service.
         *
         * @returns a function that checks whether the gateway of this process accepts a token
         */
        const another = async () => {
          const { issuer, audience } = first
          const { gatehouse } = await start({
            store: makeStore(data),
            gatehouse: { issuer, audience },
          })
          return async (token: string) => {
            const url = `${new URL(audience).pathname}/invoices/list`
            const headers = { authorization: `Bearer ${token}` }
            return (await gatehouse.gateway.authenticate({ method: 'GET', url, headers })).ok
          }
        }
        const { apiKeys } = first.gatehouse
        const { clientSecret } = await apiKeys.create({
          accountId: 'acme',
          name: 'Key',
          products: ['invoices', 'payments'],
          clientId: 'nightly',
        })
        const keys = [{ client_id: 'nightly', client_secret: clientSecret }, await first.createApiKey()]
        const issued = await Promise.all(keys.map((each) => first.token({ ...each, ...direct })))
        const [token = '', bystander = ''] = issued.map(({ body }) => String(body['access_token']))

        faulty.arm(crash.lastWrite, 'unanswered', { thenAway: true })
        await expect(crash.change(first)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })

        // A second process does not complete the revocation yet, because the first process may still be
        // running. A third process, which starts 15 minutes later, completes the revocation.
        const isValidAtFirst = await another()
        expect(await isValidAtFirst(token)).toBe(true)
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900_000 })
        const isValidLater = await another()
        await vi.waitFor(async () => expect(await isValidLater(token)).toBe(false), { timeout: 5000 })
        expect(await isValidLater(bystander)).toBe(true)
        const store = makeStore(data)
        await vi.waitFor(async () =>
          expect(await store.range('revocations:pending', { limit: 10 })).toEqual([]),
        )
      },
    )
  },
)
