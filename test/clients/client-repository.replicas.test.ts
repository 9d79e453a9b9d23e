import { beforeEach, expect, it } from 'vitest'
import { replicatedStore, type ReplicatedStore } from '../support/replicated-store.ts'
import { services } from './setup.ts'

const TOO_FEW = 'too few replicas have it'

let db: ReplicatedStore
let clientId: string
beforeEach(async () => {
  db = replicatedStore()
  const { apiKey } = await services(db.durable).apiKeys.create({
    accountId: 'acme',
    name: 'Before',
    products: ['invoices'],
  })
  ;({ clientId } = apiKey)
})

const changes: Record<string, (apiKeys: ReturnType<typeof services>['apiKeys']) => Promise<unknown>> = {
  rename: (apiKeys) => apiKeys.update(clientId, { name: 'After' }),
  addProduct: (apiKeys) => apiKeys.addProduct(clientId, 'payments'),
  removeProduct: (apiKeys) => apiKeys.removeProduct(clientId, 'invoices'),
  removeOperation: (apiKeys) => apiKeys.removeOperation(clientId, 'invoices:read'),
  disable: (apiKeys) => apiKeys.disable(clientId),
  setResourceServer: (apiKeys) => apiKeys.setResourceServer(clientId, true),
}

it.each(Object.keys(changes))(
  '%s() rejects while no replica has the change, and a repeated call resolves once a replica confirms the change',
  async (name) => {
    const { apiKeys } = services(db.durable)
    const change = async () => changes[name]?.(apiKeys)
    const before = await apiKeys.find(clientId)
    db.lagFrom(`client:${clientId}`)
    await expect(change()).rejects.toThrow(TOO_FEW)
    const changed = await apiKeys.find(clientId)
    expect(changed).not.toEqual(before)
    // A repeated call writes the pending revocation first. Replication works for this write, and fails again
    // for the write of the client.
    db.replicates = true
    db.lagFrom(`client:${clientId}`)
    await expect(change()).rejects.toThrow(TOO_FEW)
    expect(await apiKeys.find(clientId)).toEqual(changed)
    db.replicates = true
    await change()
    db.failOver()
    expect(await apiKeys.find(clientId)).toEqual(changed)
  },
)

it('a deletion that no replica confirmed is made again by a repeated call, although the client is not found', async () => {
  const { apiKeys } = services(db.durable)
  db.lagFrom(`client:${clientId}`)
  await expect(apiKeys.delete(clientId)).rejects.toThrow(TOO_FEW)
  db.replicates = true
  await expect(apiKeys.delete(clientId)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
  db.failOver()
  expect(await apiKeys.find(clientId)).toBeUndefined()
})

it('a change that was lost in a failover can be repeated', async () => {
  const { apiKeys } = services(db.durable)
  db.lagFrom(`client:${clientId}`)
  await expect(apiKeys.disable(clientId)).rejects.toThrow(TOO_FEW)
  db.failOver()
  expect(await apiKeys.find(clientId)).toMatchObject({ disabled: false, epoch: 0 })
  db.replicates = true
  expect(await apiKeys.disable(clientId)).toMatchObject({ disabled: true, epoch: 1 })
})
