import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { asParameters, createClientKey, signAssertion, type ClientKey } from '../../support/client-keys.ts'
import { FAULTS, faultyStore, type FaultyStore } from '../../support/faulty-store.ts'
import { startHost, type Host } from '../../support/host.ts'

/** More store calls than a request or a change has. */
const MOST_CALLS = 40

describe('keys of clients while the store fails', () => {
  let faulty: FaultyStore
  let host: Host
  let key: ClientKey
  beforeEach(async () => {
    faulty = faultyStore(memoryStore(), { lateBy: 80 })
    host = await startHost({
      store: faulty.store,
      gatehouse: {
        privateKeyJwt: true,
        storeTimeoutMs: 40,
        secret: 'a secret for tests, long enough to be one',
      },
    })
    await host.gatehouse.ready()
    key = await createClientKey()
  })
  afterEach(async () => {
    faulty.comeBack()
    await host.close()
  })

  const create = (jwk: object) =>
    host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Export',
      products: ['invoices'],
      jwks: { keys: [jwk] },
    })
  const request = (assertion: string) =>
    host.token({ ...asParameters(assertion), grant_type: 'client_credentials' })

  it.each(FAULTS)('an assertion gets its token or 503, never invalid_client (%s)', async (fault) => {
    const { clientId } = (await create(key.jwk)).apiKey
    let unavailable = 0
    for (let call = 0; call < MOST_CALLS; call += 1) {
      const assertion = await signAssertion(key, clientId, host.issuer)
      faulty.arm(call, fault, { thenAway: true })
      const { status, body } = await request(assertion)
      const isComplete = faulty.calls.length <= call
      faulty.comeBack()
      if (status !== 200) {
        expect([status, body['error']]).toEqual([503, 'temporarily_unavailable'])
        unavailable += 1
      }
      // A client makes a new assertion for each attempt, because the failed one may have been used up.
      await vi.waitFor(
        async () => expect((await request(await signAssertion(key, clientId, host.issuer))).status).toBe(200),
        { timeout: 10_000 },
      )
      if (status === 200) expect((await request(assertion)).status).toBe(401)
      if (isComplete) break
    }
    expect(unavailable).toBeGreaterThan(0)
  })

  it.each(FAULTS)(
    'a key whose addition fails is added by the next attempt, and can be reported (%s)',
    async (fault) => {
      let failed = 0
      for (let call = 0; call < MOST_CALLS; call += 1) {
        const { clientId } = (await create(key.jwk)).apiKey
        const further = await createClientKey()
        faulty.arm(call, fault, { thenAway: true })
        const error: unknown = await host.gatehouse.apiKeys.addKey(clientId, further.jwk).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        const isComplete = faulty.calls.length <= call
        faulty.comeBack()
        if (error !== undefined) {
          failed += 1
          expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE' })
          // After several failures, the service makes no calls for a moment.
          await vi.waitFor(() => host.gatehouse.apiKeys.addKey(clientId, further.jwk), { timeout: 10_000 })
        }
        const keys = await host.gatehouse.apiKeys.listKeys(clientId)
        expect(keys).toHaveLength(2)
        const leaked = await host.gatehouse.secrets.reportLeaked(further.privatePem)
        expect(leaked).toMatchObject({ clientId, isValid: true })
        expect(await host.gatehouse.apiKeys.listKeys(clientId)).toHaveLength(1)
        if (isComplete) break
      }
      expect(failed).toBeGreaterThan(0)
    },
  )
})
