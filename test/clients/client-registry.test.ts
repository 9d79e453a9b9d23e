import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { hasSecret, newSecret } from '../support/secrets.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { describeOnEachStore, services, watched } from './setup.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1) })
})
afterEach(() => {
  vi.useRealTimers()
})

describeOnEachStore('the client registry', (stores) => {
  it('the client registry finds clients of both kinds, even disabled clients, with one read each', async () => {
    const { store, calls } = watched(stores.open())
    const { apiKeys, applications, registry, settled } = services(store)
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    const disabled = await applications.disable(application.clientId)
    await settled()
    calls.length = 0
    expect(await registry.find(apiKey.clientId)).toMatchObject(apiKey)
    expect(await registry.find(application.clientId)).toMatchObject({ ...disabled, disabled: true })
    expect(await registry.find('unknown')).toBeUndefined()
    expect(calls.map(({ method }) => method)).toEqual(['get', 'get', 'get'])
  })

  it('the client registry rejects every wrong secret, and every secret of a client that it did not return', async () => {
    const { apiKeys, registry } = services(stores.open())
    const other = await apiKeys.create({ accountId: 'acme', name: 'Other' })
    const { apiKey, clientSecret } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    expect(hasSecret(apiKey, clientSecret)).toBe(false)
    // The secret is accepted for a copy of a client that the registry returned.
    const copy = { ...((await registry.find(apiKey.clientId)) ?? apiKey), name: 'Copy' }
    expect(hasSecret(copy, clientSecret)).toBe(true)
    const wrong = ['', newSecret(), other.clientSecret, hashSecret(clientSecret), `${clientSecret}\0`]
    for (const secret of wrong) expect(hasSecret(copy, secret)).toBe(false)
  })

  it('a failure of the store is not reported as a missing client', async () => {
    const { store, faults } = watched(stores.open())
    const { registry } = services(store)
    faults.set('get', new Error('connection lost'))
    await expect(registry.find('anything')).rejects.toThrow('connection lost')
  })
})
