import { expect, it } from 'vitest'
import { atOnce, describeApiKeys, describeEachKind, failure } from './each-kind.ts'
import { manyProducts } from './setup.ts'

describeEachKind('changes of clients', (context) => {
  const { kind } = context

  it('each change returns the changed client and emits an event with the actor', async () => {
    const { service, emitted, clientId } = await context.withClient({ products: ['invoices'] })
    const by = { actor: 'ann' }
    expect(await service.update(clientId, { name: ' New ' }, by)).toMatchObject({ name: 'New', epoch: 0 })
    expect(await service.addProduct(clientId, 'payments', by)).toMatchObject({
      products: ['invoices', 'payments'],
      epoch: 0,
    })
    expect(await service.removeOperation(clientId, 'payments:transfer', by)).toMatchObject({
      removedOperations: ['payments:transfer'],
      epoch: 1,
    })
    expect(await service.restoreOperation(clientId, 'payments:transfer', by)).toMatchObject({
      removedOperations: [],
      epoch: 1,
    })
    expect(await service.removeProduct(clientId, 'invoices', by)).toMatchObject({
      products: ['payments'],
      epoch: 2,
    })
    expect(await service.disable(clientId, by)).toMatchObject({ disabled: true, epoch: 3 })
    expect(await service.enable(clientId, by)).toMatchObject({ disabled: false, epoch: 3 })
    const last = await service.find(clientId)
    expect(last).toMatchObject({ name: 'New', products: ['payments'], disabled: false, epoch: 3 })

    const event = { event: 'client.changed', kind, clientId, accountId: 'acme', actor: 'ann' }
    expect(emitted).toEqual([
      { ...event, change: 'name' },
      { ...event, change: 'product.added', target: 'payments' },
      { ...event, change: 'operation.removed', target: 'payments:transfer' },
      { ...event, change: 'operation.restored', target: 'payments:transfer' },
      { ...event, change: 'product.removed', target: 'invoices' },
      { ...event, change: 'disabled' },
      { ...event, change: 'enabled' },
    ])
  })

  it('a change that is in force already changes nothing, emits nothing, has no audit entry and does not raise the epoch', async () => {
    const input = { products: ['invoices'], removedOperations: ['invoices:create'] }
    const { service, clientId, client, audit, emitted, revoked } = await context.withClient(input)
    await service.update(clientId, { name: 'Test' })
    await service.addProduct(clientId, 'invoices')
    await service.restoreOperation(clientId, 'invoices:read')
    await service.enable(clientId)
    await service.revokeSecret(clientId, 'old')
    await service.removeProduct(clientId, 'payments')
    expect(revoked).toEqual([])
    await service.removeOperation(clientId, 'invoices:create')
    expect(await service.find(clientId)).toEqual(client)
    expect(emitted).toEqual([])
    expect((await audit.list({ clientId })).items.map(({ name }) => name)).toEqual(['client.created'])
  })

  it('a change of a missing client, or of a client of the other kind, is rejected', async () => {
    const process = context.start()
    const other = kind === 'apiKey' ? process.applications : process.apiKeys
    const otherResult = await other.create({ accountId: 'acme', name: 'Other', products: ['invoices'] })
    const otherClient = 'apiKey' in otherResult ? otherResult.apiKey : otherResult.application
    process.emitted.length = 0
    const { service } = process
    for (const clientId of ['unknown', otherClient.clientId, 'not:an:id', '']) {
      const attempts = [
        () => service.update(clientId, { name: 'New' }),
        () => service.addProduct(clientId, 'payments'),
        () => service.removeProduct(clientId, 'invoices'),
        () => service.removeOperation(clientId, 'invoices:read'),
        () => service.restoreOperation(clientId, 'invoices:read'),
        () => service.rotateSecret(clientId),
        () => service.revokeSecret(clientId, 'new'),
        () => service.listSecrets(clientId),
        () => service.disable(clientId),
        () => service.enable(clientId),
        () => service.delete(clientId),
      ]
      for (const attempt of attempts) await expect(attempt()).rejects.toThrow(failure('ERR_NOT_FOUND'))
    }
    expect(await other.find(otherClient.clientId)).toEqual(otherClient)
    expect(process.emitted).toEqual([])
  })
})

describeApiKeys('changes of a client', (context) => {
  it('a change with invalid input is rejected and changes nothing', async () => {
    const process = await context.withClient({ products: ['invoices'] })
    const { service, clientId, client } = process
    const bad = undefined as never
    const attempts = [
      () => service.update(clientId, { name: '' }),
      () => service.update(clientId, { name: 'x'.repeat(121) }),
      () => service.update(clientId, { name: null as never }),
      () => service.update(clientId, { name: 'New' }, { actor: '' }),
      () => service.update(clientId, { name: 'New' }, { author: 'ann' } as never),
      () => service.addProduct(clientId, 'nonsense'),
      () => service.addProduct(clientId, bad),
      () => service.addProduct(clientId, '__proto__'),
      () => service.removeProduct(clientId, 'nonsense'),
      () => service.removeOperation(clientId, 'payments:list'),
      () => service.removeOperation(clientId, 'nonsense'),
      () => service.restoreOperation(clientId, 'payments:list'),
      () => service.rotateSecret(clientId, { overlapSeconds: -1 }),
      () => service.rotateSecret(clientId, { overlapSeconds: 0.5 }),
      () => service.rotateSecret(clientId, { overlapSeconds: 7_776_001 }),
      () => service.rotateSecret(clientId, { overlap: 1 } as never),
      () => service.revokeSecret(clientId, 'both' as never),
      () => service.disable(clientId, { actor: 7 } as never),
      () => service.delete(clientId, { actor: 7 } as never),
    ]
    for (const attempt of attempts) {
      const error = await attempt().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        problems: [{ path: expect.any(String) }],
      })
    }
    expect(await service.find(clientId)).toEqual(client)
    expect(await service.listSecrets(clientId)).toHaveLength(1)
    expect(process.emitted).toEqual([])
  })

  it('concurrent changes from two processes are all kept', async () => {
    const count = 50
    const options = { definitions: manyProducts(count) }
    const first = context.start(undefined, options)
    const second = context.start(undefined, options)
    const { clientId } = await context.created(first)
    const names = Array.from({ length: count }, (_, index) => `p${index}`)
    const added = await atOnce([first, second], count, ({ service }, index) =>
      service.addProduct(clientId, `p${index}`),
    )
    expect(added).toEqual({ done: count, rejected: 0 })
    expect(new Set((await first.service.find(clientId))?.products)).toEqual(new Set(names))

    const removed = await atOnce([first, second], 21, ({ service }, index) => {
      if (index === 20) return service.update(clientId, { name: 'New' })
      return index < 10
        ? service.removeProduct(clientId, `p${index}`)
        : service.removeOperation(clientId, `p${index}:use`)
    })
    expect(removed).toEqual({ done: 21, rejected: 0 })
    const last = await second.service.find(clientId)
    expect(last).toMatchObject({ name: 'New', epoch: 20 })
    expect(new Set(last?.products)).toEqual(new Set(names.slice(10)))
    expect(new Set(last?.removedOperations)).toEqual(
      new Set(names.slice(10, 20).map((name) => `${name}:use`)),
    )
    expect(first.emitted.length + second.emitted.length).toBe(count + 21)
  })
})
