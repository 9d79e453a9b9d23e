import { expect, it, vi } from 'vitest'
import { atOnce, describeApiKeys, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeApiKeys('deleting a client', (context) => {
  const { kind, stores } = context

  it('deleting a client leaves only the record that reserves its id', async () => {
    const store = stores.open()
    const process = await context.withClient({ userId: 'ann', name: 'Ledger' }, store)
    const { clientId } = process
    await process.service.disable(clientId)
    process.emitted.length = 0
    process.lastUses.record(clientId)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${clientId}`)).toBeDefined())
    await process.service.delete(clientId, { actor: 'ann' })

    expect(process.emitted).toEqual([
      { event: 'client.deleted', kind, clientId, accountId: 'acme', actor: 'ann' },
    ])
    expect(await process.service.find(clientId)).toBeUndefined()
    expect(await process.registry.find(clientId)).toBeUndefined()
    await process.settled()
    const [left, usage] = await store.getMany([`client:${clientId}`, `client-usage:${clientId}`])
    // The record has no personal data and no hash. Its epoch is above the epoch of every token of the client.
    expect(JSON.parse(left ?? '')).toEqual({ v: 1, deleted: true, kind, epoch: 2, deletedAt: START / 1000 })
    expect(usage).toBeUndefined()
    await expect(process.service.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
  })

  it('every method rejects a deleted client as missing', async () => {
    const { service, registry, ...process } = context.start()
    const { clientId } = await context.created({ service, registry, ...process }, { products: ['invoices'] })
    await service.delete(clientId)
    process.emitted.length = 0
    const attempts = [
      () => service.delete(clientId),
      () => service.update(clientId, { name: 'Again' }),
      () => service.addProduct(clientId, 'payments'),
      () => service.removeProduct(clientId, 'invoices'),
      () => service.removeOperation(clientId, 'invoices:read'),
      () => service.rotateSecret(clientId),
      () => service.revokeSecret(clientId, 'old'),
      () => service.listSecrets(clientId),
      () => service.disable(clientId),
      () => service.enable(clientId),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(failure('ERR_NOT_FOUND'))
    expect(await service.find(clientId)).toBeUndefined()
    expect(await registry.find(clientId)).toBeUndefined()
    expect(await service.list()).toEqual({ items: [] })
    expect(process.emitted).toEqual([])
  })

  it('the id of a deleted client stays reserved for clients of both kinds', async () => {
    const store = stores.open()
    const { clientId, service, emitted, settled } = await context.withClient({ clientId: 'partner' }, store)
    await service.delete(clientId)
    await settled()
    const left = await store.get('client:partner')
    emitted.length = 0
    for (const which of ['apiKeys', 'applications'] as const) {
      const { [which]: other } = context.start()
      await expect(other.create({ accountId: 'acme', name: 'Again', clientId })).rejects.toThrow(
        failure('ERR_CONFLICT', expect.stringContaining('"partner" belonged to a client that was deleted')),
      )
      expect((await other.list()).items).toEqual([])
    }
    expect(await store.get('client:partner')).toBe(left)
    expect(emitted).toEqual([])
  })

  it('exactly one of several concurrent deletions succeeds', async () => {
    const processes = [context.start(), context.start()] as const
    const { clientId } = await context.created(processes[0])
    const { done } = await atOnce(processes, 10, ({ service }) => service.delete(clientId))
    expect(done).toBe(1)
    expect(processes.flatMap(({ emitted }) => emitted)).toHaveLength(1)
  })

  it('a concurrent change never undoes a deletion', async () => {
    const [first, second] = [context.start(), context.start()]
    const { clientId } = await context.created(first, { products: ['invoices'] })
    await Promise.allSettled([
      second.service.addProduct(clientId, 'payments'),
      first.service.delete(clientId),
      second.service.update(clientId, { name: 'New' }),
      second.service.disable(clientId),
    ])
    expect(await second.service.find(clientId)).toBeUndefined()
    expect(await second.registry.find(clientId)).toBeUndefined()
  })

  it('a deletion succeeds even if the list entries of the client cannot be removed', async () => {
    const { store, faults } = watched(stores.open())
    const process = await context.withClient({}, store)
    const { clientId } = process
    faults.set('remove', new Error('connection lost'))
    await process.service.delete(clientId)
    expect(process.emitted).toHaveLength(1)
    expect((await process.service.listByOwner('acme')).items).toEqual([])
  })
})
