import { expect, it, vi } from 'vitest'
import { atOnce, describeEachKind, failure } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('deleting a client', (context) => {
  const { kind, stores } = context

  it('leaves nothing behind', async () => {
    const store = stores.open()
    const process = context.start(store)
    const { clientId } = await context.created(process)
    process.usage.touch(clientId)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${clientId}`)).toBeDefined())
    await process.service.delete(clientId, { actor: 'ann' })

    expect(process.heard).toEqual([
      { event: 'client.deleted', kind, clientId, accountId: 'acme', actor: 'ann' },
    ])
    expect(await process.service.find(clientId)).toBeUndefined()
    expect(await process.registry.find(clientId)).toBeUndefined()
    expect(await store.getMany([`client:${clientId}`, `client-usage:${clientId}`])).toEqual([
      undefined,
      undefined,
    ])
    for (const index of [`clients:${kind}`, `clients:${kind}:of:acme`]) {
      expect(await store.range(index, { limit: 10 })).toEqual([])
    }
    await expect(process.service.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
  })

  it('is done once by many who do it at once', async () => {
    const processes = [context.start(), context.start()] as const
    const { clientId } = await context.created(processes[0])
    const { done } = await atOnce(processes, 10, ({ service }) => service.delete(clientId))
    expect(done).toBe(1)
    expect(processes.flatMap(({ heard }) => heard)).toHaveLength(1)
  })

  it('is never undone by a change that comes in at the same time', async () => {
    const [first, second] = [context.start(), context.start()]
    const { clientId } = await context.created(first, { products: ['invoices'] })
    await Promise.allSettled([
      second.service.addProduct(clientId, 'payments'),
      first.service.delete(clientId),
      second.service.rename(clientId, 'New'),
      second.service.disable(clientId),
    ])
    expect(await second.service.find(clientId)).toBeUndefined()
    expect(await second.registry.find(clientId)).toBeUndefined()
  })

  it('is done even if the lists cannot be tidied up', async () => {
    const { store, faults } = watched(stores.open())
    const process = context.start(store)
    const { clientId } = await context.created(process)
    faults.set('remove', new Error('connection lost'))
    await process.service.delete(clientId)
    expect(process.heard).toHaveLength(1)
    expect((await process.service.listByOwner('acme')).items).toEqual([])
  })
})
