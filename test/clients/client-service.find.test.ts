import { expect, it, vi } from 'vitest'
import { describeApiKeys, describeEachKind, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('finding a client', (context) => {
  const { kind, stores } = context

  it('find returns no client of the other kind', async () => {
    const all = context.start()
    const { apiKey } = await all.apiKeys.create({ accountId: 'acme', name: 'Key' })
    const { application } = await all.applications.create({ accountId: 'acme', name: 'App' })
    expect(await all.service.find(apiKey.clientId)).toEqual(kind === 'apiKey' ? apiKey : undefined)
    expect(await all.service.find(application.clientId)).toEqual(
      kind === 'application' ? application : undefined,
    )
  })

  it('find returns undefined for an invalid client id without a read of the store', async () => {
    const { store, calls } = watched(stores.open())
    const { service, registry } = context.start(store)
    for (const junk of ['', 'a:b', 'a b', 'x'.repeat(10_000), '\0', 'ü', undefined, 7, { length: 1 }]) {
      expect(await service.find(junk as string)).toBeUndefined()
      expect(await registry.find(junk as string)).toBeUndefined()
    }
    expect(calls).toEqual([])
  })

  it('findOwn finds the client of its account, and rejects that of another account like an unknown one', async () => {
    const { service, client, clientId } = await context.withClient()
    expect(await service.findOwn('acme', clientId)).toEqual(client)
    for (const [accountId, id] of [
      ['bob', clientId],
      ['', clientId],
      ['bob', 'key_unknown'],
      ['acme', 'not an id'],
    ] as const) {
      await expect(service.findOwn(accountId, id)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    }
  })
})

describeApiKeys('lastUsedAt', (context) => {
  it('every method returns as lastUsedAt the hour in which the client got its last token', async () => {
    const process = await context.withClient({ products: ['invoices'] })
    const { service, lastUses, clientId } = process
    const { clientId: unused } = await context.created(process)
    vi.setSystemTime(START + 3_600_000)
    lastUses.record(clientId)
    const lastUsedAt = Date.UTC(2030, 0, 1, 11) / 1000
    await vi.waitFor(async () => expect(await service.find(clientId)).toMatchObject({ lastUsedAt }))
    expect(await service.update(clientId, { name: 'New' })).toMatchObject({ lastUsedAt })
    const { items } = await service.list()
    expect(items.map((item) => [item.clientId, item.lastUsedAt])).toEqual([
      [clientId, lastUsedAt],
      [unused, undefined],
    ])
    expect(await service.find(unused)).not.toHaveProperty('lastUsedAt')
  })

  it('lastUsedAt is never before createdAt, although it is rounded down to the hour', async () => {
    const { service, lastUses, clientId, client } = await context.withClient()
    lastUses.record(clientId)
    const expected = { createdAt: START / 1000, lastUsedAt: START / 1000 }
    await vi.waitFor(async () => expect(await service.find(clientId)).toMatchObject(expected))
    expect(client.createdAt % 3600).toBe(1800)
    expect((await service.list()).items).toMatchObject([expected])
  })
})
