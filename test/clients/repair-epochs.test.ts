import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createClientCache } from '../../src/clients/client-cache.ts'
import { withRepairedEpochs } from '../../src/clients/repair-epochs.ts'
import { createStoreRegistry } from '../../src/clients/store-registry.ts'
import { services, watched } from './setup.ts'

/** A process that remembers clients and has heard of what was revoked, but of no change. */
async function start() {
  const data = memoryStore()
  // Another process, whose messages are lost.
  const { apiKeys } = services(data)
  const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key', products: ['invoices'] })
  const { clientId } = apiKey
  const { store, calls } = watched(data)
  const heard = { lowestValidEpoch: 0, isClientRevoked: false }
  const cached = createClientCache({
    store,
    registry: createStoreRegistry({ store }),
    logger: silentLogger,
    now: () => 0,
  })
  await cached.follow()
  const known = {
    lowestValidEpoch: () => heard.lowestValidEpoch,
    isClientRevoked: () => heard.isClientRevoked,
  }
  const registry = withRepairedEpochs(cached, { store, known })
  await registry.find(clientId)
  const count = (method: string) => calls.filter((call) => call.method === method).length
  return { data, apiKeys, clientId, find: () => registry.find(clientId), heard, calls, count }
}

it('a client that something was taken from is read anew as soon as that is heard, and nothing counts as lost', async () => {
  const { apiKeys, clientId, find, heard, calls, count } = await start()
  await apiKeys.removeProduct(clientId, 'invoices')
  // So it is remembered as it was: else what follows would prove nothing.
  expect(await find()).toMatchObject({ products: ['invoices'], epoch: 0 })
  calls.length = 0
  heard.lowestValidEpoch = 1
  expect(await find()).toMatchObject({ products: [], epoch: 1 })
  expect(await find()).toMatchObject({ products: [], epoch: 1 })
  expect([count('get'), count('replace')]).toEqual([1, 0])
})

it('a client that was deleted is not found any more as soon as that is heard', async () => {
  const { apiKeys, clientId, find, heard } = await start()
  await apiKeys.delete(clientId)
  expect(await find()).toMatchObject({ clientId })
  heard.isClientRevoked = true
  expect(await find()).toBeUndefined()
})

it('only if the store itself has an older epoch was one lost, and is made good once', async () => {
  const { find, heard, calls, count } = await start()
  heard.lowestValidEpoch = 3
  // What comes of this one is dead: it may be an older copy.
  expect(await find()).toMatchObject({ epoch: 0 })
  expect(await find()).toMatchObject({ epoch: 3 })
  calls.length = 0
  expect(await find()).toMatchObject({ epoch: 3 })
  expect([count('get'), count('replace')]).toEqual([0, 0])
})
