import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createClientCache } from '../../src/clients/client-cache.ts'
import { withRepairedEpochs } from '../../src/clients/repair-epochs.ts'
import { services, watched } from './setup.ts'

/** A process that caches clients and knows revocations, but receives no messages about changed clients. */
async function start() {
  const data = memoryStore()
  // These are the services of another process, whose messages are lost.
  const { apiKeys } = services(data)
  const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
  const { clientId } = apiKey
  const { store, calls } = watched(data)
  const revocations = { lowestValidEpoch: 0, isClientRevoked: false }
  const cached = createClientCache({
    store,
    logger: silentLogger,
    now: () => 0,
  })
  await cached.follow()
  const known = {
    lowestValidEpoch: () => revocations.lowestValidEpoch,
    isClientRevoked: () => revocations.isClientRevoked,
  }
  const registry = withRepairedEpochs(cached, { store, known })
  await registry.find(clientId)
  const count = (method: string) => calls.filter((call) => call.method === method).length
  return { data, apiKeys, clientId, find: () => registry.find(clientId), revocations, calls, count }
}

it('a cached client that lost access is read again as soon as the revocation is known, and nothing is repaired', async () => {
  const { apiKeys, clientId, find, revocations, calls, count } = await start()
  await apiKeys.removeProduct(clientId, 'invoices')
  // The cached client is outdated. Otherwise the next assertions would prove nothing.
  expect(await find()).toMatchObject({ products: ['invoices'], epoch: 0 })
  calls.length = 0
  revocations.lowestValidEpoch = 1
  expect(await find()).toMatchObject({ products: [], epoch: 1 })
  expect(await find()).toMatchObject({ products: [], epoch: 1 })
  expect([count('get'), count('replace')]).toEqual([1, 0])
})

it('a cached client that was deleted is not found as soon as the revocation is known', async () => {
  const { apiKeys, clientId, find, revocations } = await start()
  await apiKeys.delete(clientId)
  expect(await find()).toMatchObject({ clientId })
  revocations.isClientRevoked = true
  expect(await find()).toBeUndefined()
})

it('an epoch that the store lost is raised again, with one write', async () => {
  const { find, revocations, calls, count } = await start()
  revocations.lowestValidEpoch = 3
  // The first lookup raises the stored epoch, but returns the client with the epoch that was read before. A
  // token with this lower epoch is rejected.
  expect(await find()).toMatchObject({ epoch: 0 })
  expect(await find()).toMatchObject({ epoch: 3 })
  calls.length = 0
  expect(await find()).toMatchObject({ epoch: 3 })
  expect([count('get'), count('replace')]).toEqual([0, 0])
})
