import { decodeProtectedHeader } from 'jose'
import { afterEach, expect, test, vi } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { startHost, SECRET, type Host } from '../../support/host.ts'
import { seedKeyRing } from '../../support/ready-keys.ts'
import { describeEachStore } from '../../support/stores.ts'

vi.mock('../../../src/keys/generate-key.ts', async (original) =>
  (await import('../../support/quick-keys.ts')).withQuickKeys(original),
)

const RING = 'signing-keys:ring'
const DAY = 86_400

interface KeyRecord {
  readonly kid: string
  readonly alg: string
  readonly state: string
  readonly sealed?: string
}

describeEachStore('signing keys written by another version', (makeStore) => {
  const hosts: Host[] = []
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((host) => host.close()))
  })

  async function start(store: Store): Promise<Host> {
    const host = await startHost({ store })
    hosts.push(host)
    return host
  }

  const ringIn = async (store: Store) =>
    JSON.parse((await store.get(RING)) ?? '') as { v: number; keys: KeyRecord[] }

  test('keys written by the first version keep signing, and are rewritten in the current format', async () => {
    const store = makeStore()
    await seedKeyRing(store, SECRET)
    const { keys } = await ringIn(store)
    // The first version stored only keys that sign.
    const first = keys
      .filter(({ state }) => state === 'current')
      .map(({ kid, alg, state, sealed }) => ({
        kid,
        alg,
        state,
        createdAt: Math.floor(Date.now() / 1000) - DAY,
        sealed,
      }))
    await store.set(RING, JSON.stringify({ v: 1, keys: first }))

    const host = await start(store)
    const key = await host.createApiKey()
    const { status, body } = await host.requestDirectToken(key)
    expect(status).toBe(200)
    const token = String(body['access_token'])
    const signing = first.find(({ alg }) => alg === 'ES256')?.kid
    expect(decodeProtectedHeader(token).kid).toBe(signing)
    expect((await host.call('GET /invoices/list', token)).status).toBe(200)
    // Without this call it happens within seconds, because the ring has no next keys.
    await host.gatehouse.signingKeys.rotate()
    const { v, keys: all } = await ringIn(store)
    expect(v).toBe(2)
    expect(all.find(({ kid }) => kid === signing)?.state).toBe('previous')
    // A process that starts with the rewritten ring accepts the token from before.
    const next = await start(store)
    const later = await next.requestDirectToken(key)
    expect(later.status).toBe(200)
    expect(decodeProtectedHeader(String(later.body['access_token'])).kid).not.toBe(signing)
    expect((await next.gatehouse.signingKeys.list()).map(({ kid }) => kid)).toContain(signing)
  })

  test('keys written by a newer version prevent the start, the error says what to do, and the keys stay unchanged', async () => {
    const store = makeStore()
    const newer = JSON.stringify({ v: 3, id: 'newer', keys: [] })
    await store.set(RING, newer)
    const { gatehouse } = await start(store)
    await expect(gatehouse.ready({ timeoutMs: 2000 })).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: expect.stringMatching(
        /"signing-keys:ring" has schema version 3, .* reads up to 2: start the newer version of koa-gatehouse/,
      ),
    })
    const { ready, checks } = await gatehouse.health()
    expect(ready).toBe(false)
    expect(checks.find(({ name }) => name === 'start')).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('schema version 3'),
    })
    expect(await store.get(RING)).toBe(newer)
  })
})
