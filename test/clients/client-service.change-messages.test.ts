import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { describeEachKind } from './each-kind.ts'
import { services, watched } from './setup.ts'

describeEachKind('the messages about changed clients', (context) => {
  const by = { products: ['invoices', 'payments'], removedOperations: ['invoices:create'] }

  it('every change of a client notifies the other processes', async () => {
    const process = await context.withClient(by)
    const { service, changed, clientTokens, clientId } = process
    // No process can have cached a new client, so its creation notifies no process.
    expect(changed).toEqual([])
    const changes = {
      rename: () => service.update(clientId, { name: 'New' }),
      addProduct: () => service.addProduct(clientId, 'payments'),
      removeProduct: () => service.removeProduct(clientId, 'payments'),
      removeOperation: () => service.removeOperation(clientId, 'invoices:read'),
      restoreOperation: () => service.restoreOperation(clientId, 'invoices:create'),
      rotateSecret: () => service.rotateSecret(clientId),
      revokeSecret: () => service.revokeSecret(clientId, 'old'),
      disable: () => service.disable(clientId),
      enable: () => service.enable(clientId),
      setResourceServer: () =>
        context.kind === 'apiKey'
          ? process.apiKeys.setResourceServer(clientId, true)
          : process.applications.setFirstParty(clientId, true),
      reportCompromised: () => service.reportCompromised(clientId),
      revokeAll: () => clientTokens.revokeAll(clientId, {}),
      revokeScopes: () => clientTokens.revokeScopes(clientId, ['invoices:read'], {}),
      delete: () => service.delete(clientId),
    }
    for (const [name, change] of Object.entries(changes)) {
      changed.length = 0
      await change()
      expect({ name, changed }).toEqual({ name, changed: [clientId] })
    }
  })

  it('a repeated deletion and a failed change notify too, because an earlier call or the store may have made the change', async () => {
    const { store, faults } = watched(context.stores.open())
    const process = await context.withClient(by, store)
    const { service, changed, clientTokens, clientId } = process
    faults.set('replace', new Error('connection lost'))
    for (const change of [
      () => service.update(clientId, { name: 'New' }),
      () => service.disable(clientId),
      () => service.delete(clientId),
      () => clientTokens.revokeAll(clientId, {}),
    ]) {
      changed.length = 0
      await expect(change()).rejects.toThrow('connection lost')
      expect(changed).toEqual([clientId])
    }
    faults.clear()
    await service.delete(clientId)
    changed.length = 0
    // No client of the other kind ever had that id, so the service of the other kind notifies no process.
    const other = context.kind === 'apiKey' ? process.applications : process.apiKeys
    await expect(other.delete(clientId)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(changed).toEqual([])
    await expect(service.delete(clientId)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    expect(changed).toEqual([clientId])
  })
})

it('a successful change resolves only after the other processes were notified, and a failed change rejects immediately', async () => {
  const { store, faults } = watched(memoryStore())
  let confirm = () => {}
  const notified = new Promise<void>((resolve) => (confirm = resolve))
  const { apiKeys } = services(store, { clientChanged: () => notified })
  const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
  let isSettled = false
  const renamed = apiKeys.update(apiKey.clientId, { name: 'New' }).then(() => (isSettled = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  faults.set('replace', new Error('connection lost'))
  await expect(apiKeys.update(apiKey.clientId, { name: 'Newer' })).rejects.toThrow('connection lost')
  confirm()
  await renamed
})
