import { expect, it, vi } from 'vitest'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import { createScopeLimitCheck } from '../../src/clients/scope-limit-check.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { describeOnEachStore, productOfBytes, services, watched } from './setup.ts'

describeOnEachStore('the check of clients with too much scope', ({ open }) => {
  it('after a failure, the earlier result stays, and the log has the reason', async () => {
    const { store, faults } = watched(open())
    const { apiKeys } = services(store)
    const { apiKey } = await apiKeys.create({ accountId: 'a', name: 'N', products: ['invoices'] })
    const warn = vi.fn()
    const catalog = { current: createCatalog(productOfBytes('invoices', 5000)) }
    const check = createScopeLimitCheck({ store, catalog, logger: { ...silentLogger, warn } })
    expect(check.check()).toEqual([])
    expect(await check.findOversized()).toBe(1)
    const found = [{ name: 'client scopes', status: 'warn' }]
    expect(check.check()).toMatchObject(found)
    expect(check.check()[0]?.message).toContain(apiKey.clientId)

    const error = new Error('away')
    faults.set('range', error)
    warn.mockClear()
    const stop = check.start()
    await vi.waitFor(() => expect(warn).toHaveBeenCalled())
    stop()
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      { err: error },
      'the clients with too much scope could not be found; trying again within an hour',
    )
    expect(check.check()).toMatchObject(found)
  })
})
