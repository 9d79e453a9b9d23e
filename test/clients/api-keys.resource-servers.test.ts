import { expect, it } from 'vitest'
import { failure } from './each-kind.ts'
import { describeOnEachStore, services } from './setup.ts'

describeOnEachStore('resource servers', (stores) => {
  it('an API key becomes a resource server at creation or later, and each change emits one event', async () => {
    const { apiKeys, registry, emitted } = services(stores.open())
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Plain' })
    const { apiKey: marked } = await apiKeys.create({ accountId: 'acme', name: 'API', resourceServer: true })
    expect([apiKey.resourceServer, marked.resourceServer]).toEqual([false, true])
    expect(await apiKeys.find(marked.clientId)).toEqual(marked)
    expect(await registry.find(marked.clientId)).toMatchObject({ resourceServer: true })

    emitted.length = 0
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
    expect(emitted).toEqual([
      { ...change, change: 'resourceServer' },
      { ...change, change: 'resourceServer' },
    ])
  })

  it('resourceServer accepts true and false only, and applications cannot be resource servers', async () => {
    const { apiKeys, applications, emitted } = services(stores.open())
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    emitted.length = 0
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
    expect(emitted).toEqual([])
  })
})
