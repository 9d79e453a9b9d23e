import { expect, it } from 'vitest'
import { failure } from './each-kind.ts'
import { describeOnEachStore, services } from './setup.ts'

describeOnEachStore('resource servers', (stores) => {
  it('are API keys that code marks, at creation or later; each change is reported once', async () => {
    const { apiKeys, registry, heard } = services(stores.open())
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Plain' })
    const { apiKey: marked } = await apiKeys.create({ accountId: 'acme', name: 'API', resourceServer: true })
    expect([apiKey.resourceServer, marked.resourceServer]).toEqual([false, true])
    expect(await apiKeys.find(marked.clientId)).toEqual(marked)
    expect(await registry.find(marked.clientId)).toMatchObject({ resourceServer: true })

    heard.length = 0
    const { clientId } = apiKey
    const by = { actor: 'ann' }
    for (const value of [true, true, false]) {
      expect(await apiKeys.setResourceServer(clientId, value, by)).toEqual({
        ...apiKey,
        resourceServer: value,
      })
      expect(await registry.find(clientId)).toMatchObject({ resourceServer: value })
    }
    const change = { event: 'client.changed', kind: 'apiKey', clientId, accountId: 'acme', actor: 'ann' }
    expect(heard).toEqual([
      { ...change, change: 'resourceServer' },
      { ...change, change: 'resourceServer' },
    ])
  })

  it('are none by anything but true or false, and applications cannot be', async () => {
    const { apiKeys, applications, heard } = services(stores.open())
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    heard.length = 0
    const input = { accountId: 'acme', name: 'Key' }
    const rejected = failure('ERR_INVALID_ARGUMENT', expect.stringContaining('resourceServer'))
    for (const value of ['true', 1, null]) {
      await expect(apiKeys.create({ ...input, resourceServer: value as never })).rejects.toThrow(rejected)
      await expect(apiKeys.setResourceServer(apiKey.clientId, value as never)).rejects.toThrow(rejected)
    }
    await expect(apiKeys.setResourceServer(application.clientId, true)).rejects.toThrow(
      failure('ERR_NOT_FOUND'),
    )
    const asApplication: object = { ...input, resourceServer: true }
    await expect(applications.create(asApplication as typeof input)).rejects.toThrow(rejected)
    expect(heard).toEqual([])
  })

  it('were not known to records of an older version, which are none', async () => {
    const store = stores.open()
    const { apiKeys, registry } = services(store)
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Old' })
    const { clientId } = apiKey
    const stored = (await store.get(`client:${clientId}`))!
    await store.set(`client:${clientId}`, stored.replace(',"resourceServer":false', ''))
    expect(await store.get(`client:${clientId}`)).not.toContain('resourceServer')
    expect(await apiKeys.find(clientId)).toEqual(apiKey)
    expect(await registry.find(clientId)).toMatchObject({ resourceServer: false })
    expect((await apiKeys.listByOwner('acme')).items).toEqual([apiKey])
    expect(await apiKeys.rename(clientId, 'New')).toEqual({ ...apiKey, name: 'New' })
  })
})
