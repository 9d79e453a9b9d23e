import { expect, it } from 'vitest'
import { describeEachKind } from './each-kind.ts'
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
})
