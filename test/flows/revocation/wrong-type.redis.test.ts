import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { startHost } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('a revocation log that another program has written to', (makeStore) => {
  it('a process starts and knows the revocations, although the recent ones have a value of a wrong type', async () => {
    const data = randomUUID()
    const host = await startHost({ store: makeStore(data) })
    const { issuer, audience } = host
    const token = String((await host.requestDirectToken(await host.createApiKey())).body['access_token'])
    await host.gatehouse.tokens.revoke(token)
    const store = makeStore(data)
    const recent = Math.floor(Date.now() / 600_000)
    const keys = [recent - 1, recent, recent + 1].map((number) => `revocations:recent:${number}`)
    for (const key of keys) await store.set(key, 'a value of another program')
    const error = vi.fn<(details: { key?: string }, message: string) => void>()
    const logger = { ...silentLogger, error }
    const later = await startHost({ store, gatehouse: { issuer, audience, logger } })
    await later.gatehouse.ready()
    expect((await later.call('GET /invoices/list', token)).status).toBe(401)
    const logged = error.mock.calls.filter(([, message]) => message === 'the store has a corrupt record')
    expect(keys).toEqual(expect.arrayContaining(logged.map(([{ key }]) => key)))
    expect(logged.length).toBeGreaterThan(0)
    await later.close()
    await host.close()
  })
})
