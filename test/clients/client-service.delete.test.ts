import { expect, it, vi } from 'vitest'
import { atOnce, describeEachKind, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('deleting a client', (context) => {
  const { kind, stores } = context

  it('deleting a client leaves only the record that reserves its id', async () => {
    const store = stores.open()
    const process = context.start(store)
    const { clientId } = await context.created(process, { userId: 'ann', name: 'Ledger' })
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
    await process.audit.settled()
    const [left, usage] = await store.getMany([`client:${clientId}`, `client-usage:${clientId}`])
    // The record has no personal data and no hash. Its epoch is above the epoch of every token of the client.
    expect(JSON.parse(left ?? '')).toEqual({ v: 1, deleted: true, kind, epoch: 2, deletedAt: START / 1000 })
    expect(usage).toBeUndefined()
    for (const index of [`clients:${kind}`, `clients:${kind}:of:acme`]) {
      expect(await store.range(index, { limit: 10 })).toEqual([])
    }
    await expect(process.service.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
  })

  it('repeating a deletion that was not confirmed as durable writes the deletion again', async () => {
    const { store, calls, faults } = watched(stores.open())
    const process = context.start(store)
    // A process makes some writes only at its first deletion. This deletion makes them, so that the test does
    // not count them below.
    await process.service.delete((await context.created(process)).clientId)
    const { clientId } = await context.created(process)
    const key = `client:${clientId}`
    // This store applies the write, and reports that too few replicas have it.
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
    // A third write takes the audit entry of the first deletion out of the record.
    expect(writes.slice(0, 2).map(({ args }) => args.slice(1, 3))).toEqual([
      [left, left],
      [left, left],
    ])
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
    const process = context.start(store)
    const { clientId } = await context.created(process, { clientId: 'partner' })
    await process.service.delete(clientId)
    await process.audit.settled()
    const left = await store.get('client:partner')
    process.emitted.length = 0
    for (const which of ['apiKeys', 'applications'] as const) {
      await expect(
        context.start()[which].create({ accountId: 'acme', name: 'Again', clientId }),
      ).rejects.toThrow(
        failure('ERR_CONFLICT', expect.stringContaining('"partner" belonged to a client that was deleted')),
      )
    }
    expect(await store.get('client:partner')).toBe(left)
    expect(await store.range(`clients:${kind}`, { limit: 10 })).toEqual([])
    expect(await store.range(`clients:${kind}:of:acme`, { limit: 10 })).toEqual([])
    expect(process.emitted).toEqual([])
  })

  it('the service of the other kind cannot delete a client', async () => {
    const process = context.start()
    const { clientId } = await context.created(process)
    const other = kind === 'apiKey' ? process.applications : process.apiKeys
    await expect(other.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    expect(await process.service.find(clientId)).toBeDefined()
    expect(process.emitted).toEqual([])
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
    const process = context.start(store)
    const { clientId } = await context.created(process)
    faults.set('remove', new Error('connection lost'))
    await process.service.delete(clientId)
    expect(process.emitted).toHaveLength(1)
    expect((await process.service.listByOwner('acme')).items).toEqual([])
  })
})
