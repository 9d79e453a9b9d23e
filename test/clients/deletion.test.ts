import { expect, it, vi } from 'vitest'
import { atOnce, describeEachKind, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('deleting a client', (context) => {
  const { kind, stores } = context

  it('leaves nothing behind but that the client id is taken', async () => {
    const store = stores.open()
    const process = context.start(store)
    const { clientId } = await context.created(process, { userId: 'ann', name: 'Ledger' })
    await process.service.disable(clientId)
    process.heard.length = 0
    process.lastUses.record(clientId)
    await vi.waitFor(async () => expect(await store.get(`client-usage:${clientId}`)).toBeDefined())
    await process.service.delete(clientId, { actor: 'ann' })

    expect(process.heard).toEqual([
      { event: 'client.deleted', kind, clientId, accountId: 'acme', actor: 'ann' },
    ])
    expect(await process.service.find(clientId)).toBeUndefined()
    expect(await process.registry.find(clientId)).toBeUndefined()
    const [left, usage] = await store.getMany([`client:${clientId}`, `client-usage:${clientId}`])
    // Nothing about anybody, and no hash; above the epoch of every token that it ever got.
    expect(JSON.parse(left ?? '')).toEqual({ v: 1, deleted: true, kind, epoch: 2, deletedAt: START / 1000 })
    expect(usage).toBeUndefined()
    for (const index of [`clients:${kind}`, `clients:${kind}:of:acme`]) {
      expect(await store.range(index, { limit: 10 })).toEqual([])
    }
    await expect(process.service.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
  })

  it('that was not confirmed is written once more by whoever asks again: only then is it as safe as it has to be', async () => {
    const { store, calls, faults } = watched(stores.open())
    const process = context.start(store)
    // What else is written once a process has been by then.
    await process.service.delete((await context.created(process)).clientId)
    const { clientId } = await context.created(process)
    const key = `client:${clientId}`
    // Applied, and too few replicas have it.
    const unsure: typeof store = Object.assign(Object.create(store) as typeof store, {
      async replace(...args: Parameters<typeof store.replace>) {
        const isDone = await store.replace(...args)
        if (args[0] === key) throw new Error('too few replicas have it')
        return isDone
      },
    })
    await expect(context.start(unsure).service.delete(clientId)).rejects.toThrow('too few replicas')
    expect(await process.service.find(clientId)).toBeUndefined()
    const left = await store.get(key)

    calls.length = 0
    faults.set('replace', new Error('too few replicas have it'))
    await expect(process.service.delete(clientId)).rejects.toThrow('too few replicas')
    faults.clear()
    await expect(process.service.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    const writes = calls.filter(({ method, args }) => method === 'replace' && args[0] === key)
    expect(writes.map(({ args }) => args.slice(1, 3))).toEqual([
      [left, left],
      [left, left],
    ])
  })

  it('leaves it absent for every method', async () => {
    const { service, registry, ...process } = context.start()
    const { clientId } = await context.created({ service, registry, ...process }, { products: ['invoices'] })
    await service.delete(clientId)
    process.heard.length = 0
    const attempts = [
      () => service.delete(clientId),
      () => service.rename(clientId, 'Anew'),
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
    expect(process.heard).toEqual([])
  })

  it('never frees the client id, for neither kind: what was granted to it would be granted to another', async () => {
    const store = stores.open()
    const process = context.start(store)
    const { clientId } = await context.created(process, { clientId: 'partner' })
    await process.service.delete(clientId)
    const left = await store.get('client:partner')
    process.heard.length = 0
    for (const which of ['apiKeys', 'applications'] as const) {
      await expect(
        context.start()[which].create({ accountId: 'acme', name: 'Anew', clientId }),
      ).rejects.toThrow(
        failure('ERR_CONFLICT', expect.stringContaining('"partner" belonged to a client that was deleted')),
      )
    }
    expect(await store.get('client:partner')).toBe(left)
    expect(await store.range(`clients:${kind}`, { limit: 10 })).toEqual([])
    expect(await store.range(`clients:${kind}:of:acme`, { limit: 10 })).toEqual([])
    expect(process.heard).toEqual([])
  })

  it('is not for the services of the other kind', async () => {
    const process = context.start()
    const { clientId } = await context.created(process)
    const other = kind === 'apiKey' ? process.applications : process.apiKeys
    await expect(other.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    expect(await process.service.find(clientId)).toBeDefined()
    expect(process.heard).toEqual([])
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
