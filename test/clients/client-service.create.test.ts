import { expect, it } from 'vitest'
import { hasSecret, newSecret } from '../support/secrets.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { atOnce, describeApiKeys, describeEachKind, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('creating a client', (context) => {
  const { kind } = context

  it('creating a client returns the client of the account and its secret', async () => {
    const process = context.start()
    const result = await process.service.create({
      accountId: 'acme',
      userId: 'ann',
      name: '  Bookkeeping ',
      products: ['invoices', 'payments'],
      removedOperations: ['payments:transfer'],
      actor: 'ann',
    })
    const client = {
      kind,
      clientId: expect.stringMatching(kind === 'apiKey' ? /^key_[\w-]{22}$/ : /^app_[\w-]{22}$/),
      accountId: 'acme',
      userId: 'ann',
      createdBy: 'ann',
      secretShownTo: ['ann'],
      secretHint: expect.stringMatching(/^gatehouse_…\w{4}$/),
      name: 'Bookkeeping',
      products: ['invoices', 'payments'],
      removedOperations: ['payments:transfer'],
      disabled: false,
      epoch: 0,
      createdAt: START / 1000,
      ...(kind === 'apiKey' && { resourceServer: false }),
      ...(kind === 'application' && { redirectUris: [], postLogoutRedirectUris: [], firstParty: false }),
    }
    expect(result).toEqual({ [kind]: client, clientSecret: expect.stringMatching(/^gatehouse_/) })
    const { clientId } = 'apiKey' in result ? result.apiKey : result.application
    expect(await process.service.find(clientId)).toEqual(client)
    expect(process.emitted).toEqual([
      { event: 'client.created', kind, clientId, accountId: 'acme', actor: 'ann' },
    ])
  })
})

describeApiKeys('creating an API key', (context) => {
  it('rejects, and is not recorded, if a failover loses a record that another attempt created', async () => {
    const store = context.stores.open()
    const create: typeof store.create = async (...args) =>
      args[0].startsWith('client:') ? false : store.create(...args)
    const process = context.start({ ...store, create })
    await expect(process.apiKeys.create({ accountId: 'acme', name: 'Key' })).rejects.toMatchObject({
      code: 'ERR_STORE_UNAVAILABLE',
    })
    expect(process.emitted).toEqual([])
    expect((await process.audit.list()).items).toEqual([])
  })

  it('the fields of an instance of a class count, also those that the class computes', async () => {
    class Input {
      readonly accountId = 'acme'
      get name() {
        return 'Bookkeeping'
      }
      get allowedAddresses() {
        return ['203.0.113.7']
      }
    }
    const result = await context.start().service.create(new Input())
    expect('apiKey' in result ? result.apiKey : result.application).toMatchObject({
      name: 'Bookkeeping',
      allowedAddresses: ['203.0.113.7'],
    })
  })

  it('an existing client is imported with its id and the hash of its secret', async () => {
    const { service, registry } = context.start()
    const secret = 'the-secret-from-the-old-system'
    const input = {
      accountId: 'acme',
      name: 'Old',
      clientId: 'Partner.42@old',
      secretHash: hashSecret(secret),
    }
    expect((await service.create(input)).clientSecret).toBeUndefined()

    const found = (await registry.find('Partner.42@old'))!
    expect(hasSecret(found, secret)).toBe(true)
    expect(hasSecret(found, hashSecret(secret))).toBe(false)
  })

  it('creating a client with the id of a client of either kind is rejected, and the existing client is unchanged', async () => {
    const { apiKeys, applications, emitted } = context.start()
    const input = { accountId: 'acme', name: 'First', clientId: 'taken' }
    await apiKeys.create(input)
    for (const which of ['apiKeys', 'applications'] as const) {
      for (const accountId of ['acme', 'other']) {
        // Another process tries to create a client with this id in the same millisecond.
        const { [which]: service } = context.start()
        await expect(service.create({ ...input, accountId, name: 'Second' })).rejects.toThrow(
          failure('ERR_CONFLICT', 'the client id "taken" is taken'),
        )
      }
    }
    expect(emitted).toHaveLength(1)
    expect(await apiKeys.list()).toMatchObject({ items: [{ clientId: 'taken', name: 'First' }] })
    expect((await apiKeys.listByOwner('acme')).items).toHaveLength(1)
    expect((await apiKeys.listByOwner('other')).items).toEqual([])
    expect((await applications.list()).items).toEqual([])
  })

  it('exactly one of several concurrent creations with the same client id succeeds', async () => {
    const { done } = await atOnce([context.start(), context.start()], 20, ({ service }, index) =>
      service.create({ accountId: 'acme', name: `${index}`, clientId: 'wanted' }),
    )
    expect(done).toBe(1)
    expect((await context.start().service.listByOwner('acme')).items).toHaveLength(1)
  })

  it('invalid input is rejected with one error that names all problems, and nothing is stored', async () => {
    const { store, calls } = watched(context.stores.open())
    const { service } = context.start(store)
    const input = {
      accountId: '',
      userId: 'line\nbreak',
      name: 'right\u202eto left',
      products: ['invoices', 'nonsense', 'invoices'],
      removedOperations: ['payments:list'],
      clientId: 'with:colon',
      secretHash: newSecret(),
      actor: 7,
      redirectUri: 'https://example.com/',
    }
    const error = await service.create(input as never).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      status: 400,
      problems: [
        { path: 'accountId', message: expect.stringContaining('1 to 255 characters') },
        { path: 'userId' },
        { path: 'name', message: expect.stringContaining('direction') },
        { path: 'products[1]', message: 'must be one of the products: invoices, payments, reports' },
        { path: 'products[2]', message: 'is in the list already' },
        { path: 'removedOperations[0]' },
        { path: 'clientId' },
        { path: 'secretHash', message: expect.stringContaining('hashSecret()') },
        { path: 'actor' },
        { path: 'redirectUri', message: expect.stringContaining('unknown') },
      ],
    })
    expect(String(error)).not.toContain(input.secretHash)
    const long = Array.from({ length: 10_001 }, (_, index) => `p${index}`)
    for (const field of ['products', 'removedOperations']) {
      await expect(service.create({ accountId: 'acme', name: 'Test', [field]: long })).rejects.toThrow(
        failure('ERR_INVALID_ARGUMENT', expect.stringContaining(`${field}: must have at most 10000 entries`)),
      )
    }
    for (const none of [undefined, null, 'text', [], {}]) {
      await expect(service.create(none as never)).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    }
    expect(calls).toEqual([])
  })

  it('a client whose creation failed is not found, whichever call of the store failed, and can be created again', async () => {
    for (const method of ['add', 'create']) {
      const { store, faults } = watched(context.stores.open())
      const broken = context.start(store)
      faults.set(method, new Error('connection lost'))
      await expect(
        broken.service.create({ accountId: 'acme', name: 'Lost', clientId: method }),
      ).rejects.toThrow()
      expect(broken.emitted).toEqual([])

      const { service } = context.start()
      expect(await service.find(method)).toBeUndefined()
      expect((await service.listByOwner('acme')).items).toEqual([])
      await service.create({ accountId: 'acme', name: 'Again', clientId: method })
      expect((await service.listByOwner('acme')).items).toMatchObject([{ name: 'Again' }])
      await service.delete(method)
    }
  })
})
