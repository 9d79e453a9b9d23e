import { describe, expect, it, vi } from 'vitest'
import { createHostRegistry } from '../../src/clients/host-registry.ts'
import type { Client, Registry } from '../../src/clients/client.ts'
import { failure } from './each-kind.ts'

const key = { kind: 'apiKey', clientId: 'k1', accountId: 'acme', name: 'Key', products: ['invoices'] }
const application = { ...key, kind: 'application', clientId: 'a1', redirectUris: ['https://example.com/cb'] }

/** A host registry whose callbacks may return values that their types do not permit. */
const checked = (registry: object) =>
  createHostRegistry({ find: async () => key, verifySecret: async () => false, ...registry } as Registry)
const find = (answer: unknown, clientId = 'k1') => checked({ find: async () => answer }).find(clientId)

describe('registry.find', () => {
  it.each([undefined, null, false, ''])(
    'registry.find returning %j means that there is no such client',
    async (answer) => {
      expect(await find(answer)).toBeUndefined()
    },
  )

  it('registry.find may return a minimal row, and missing fields get defaults', async () => {
    const rest = { removedOperations: [], disabled: false, epoch: 0, createdAt: 0 }
    expect(await find(key)).toEqual({ ...key, ...rest, resourceServer: false })
    expect(await find(application, 'a1')).toEqual({
      ...application,
      ...rest,
      postLogoutRedirectUris: [],
      firstParty: false,
    })
    const empty = Object.fromEntries(Object.keys(rest).map((name) => [name, null]))
    expect(await find({ ...key, ...empty, userId: null, resourceServer: null })).toEqual({
      ...key,
      ...rest,
      resourceServer: false,
    })
    const uris = {
      postLogoutRedirectUris: null,
      homepageUri: null,
      logoUri: '',
      privacyUri: null,
      termsUri: '',
      firstParty: null,
    }
    expect(await find({ ...application, ...uris }, 'a1')).toMatchObject({ firstParty: false })
  })

  it('registry.find may return all fields, and unknown columns are dropped', async () => {
    const whole = {
      ...application,
      userId: 'ann',
      removedOperations: ['invoices:create'],
      disabled: true,
      epoch: 3,
      createdAt: 1_900_000_000,
      postLogoutRedirectUris: ['https://example.com/'],
      homepageUri: 'https://example.com/',
      logoUri: 'https://example.com/logo.svg',
      privacyUri: 'https://example.com/privacy',
      termsUri: 'https://example.com/terms',
      firstParty: true,
    }
    expect(await find({ ...whole, secret_hash: 'x', resourceServer: true }, 'a1')).toEqual(whole)
    expect(await find({ ...key, resourceServer: true })).toMatchObject({ resourceServer: true })
  })

  it.each(['K1', 'k1 ', 'other'])(
    'registry.find returning the client %j for the id "k1" means that there is no such client',
    async (clientId) => {
      expect(await find({ ...key, clientId })).toBeUndefined()
    },
  )

  it.each([
    [7, 'registry.find returned a number'],
    [[key], 'registry.find returned a list'],
    [{ ...key, kind: 'key' }, 'kind is a text; it must be "apiKey" or "application"'],
    [{ ...key, kind: undefined }, 'kind is undefined'],
    [{ ...key, clientId: 1 }, 'clientId: must be a text that is not empty, and is a number'],
    [{ ...key, accountId: 42 }, 'accountId: must be a text that is not empty, and is a number'],
    [{ ...key, userId: 7 }, 'userId: must be a text'],
    [{ ...key, name: null }, 'name: must be a text that is not empty, and is null'],
    [{ ...key, products: '["invoices"]' }, 'products: must be a list, and is a text'],
    [{ ...key, products: undefined }, 'products: must be a list, and is undefined'],
    [{ ...key, products: [1] }, 'products[0]: must be a text'],
    // If this text counted as an empty list, the client would get more operations than the host meant.
    [{ ...key, removedOperations: 'invoices:create' }, 'removedOperations: must be a list'],
    [{ ...key, disabled: 1 }, 'disabled: must be true or false, and is a number'],
    [{ ...key, disabled: 'false' }, 'disabled: must be true or false, and is a text'],
    [{ ...key, epoch: '3' }, 'epoch: must be a whole number from 0, and is a text'],
    [{ ...key, epoch: -1 }, 'epoch: must be a whole number'],
    [{ ...application, redirectUris: undefined }, 'redirectUris: must be a list, and is undefined'],
    [
      { ...application, redirectUris: ['http://example.com/'] },
      'redirectUris[0]: must start with "https://"',
    ],
    [{ ...application, postLogoutRedirectUris: ['x'] }, 'postLogoutRedirectUris[0]: must be an absolute URL'],
    [{ ...application, homepageUri: 'javascript:alert(1)' }, 'homepageUri: must start with "https://"'],
    [{ ...application, privacyUri: 'javascript:alert(1)' }, 'privacyUri: must start with "https://"'],
    [{ ...application, termsUri: 7 }, 'termsUri: must be an absolute URL'],
    [{ ...application, firstParty: 1 }, 'firstParty: must be true or false'],
    [{ ...key, resourceServer: 'true' }, 'resourceServer: must be true or false, and is a text'],
  ])('registry.find returning %j fails with an error that names the problem', async (answer, message) => {
    await expect(find(answer)).rejects.toThrow(failure('ERR_HOST_CALLBACK', expect.stringContaining(message)))
  })
})

describe('registry.verifySecret', () => {
  it('registry.verifySecret receives the row that registry.find returned, and decides whether the secret is accepted', async () => {
    const row = { ...key, secretHash: 'x' }
    const verifySecret = vi.fn(async (client: object, secret: string) => client === row && secret === 'right')
    const registry = checked({ find: async () => row, verifySecret })
    const client = (await registry.find('k1'))!
    expect(client).not.toHaveProperty('secretHash')
    expect(await registry.verifySecret(client, 'right')).toBe(true)
    expect(await registry.verifySecret(client, 'wrong')).toBe(false)
  })

  it('registry.verifySecret is not called for a client that find did not return', async () => {
    const verifySecret = vi.fn(async () => true)
    expect(await checked({ verifySecret }).verifySecret(key as unknown as Client, 'any')).toBe(false)
    expect(verifySecret).not.toHaveBeenCalled()
  })

  it.each([undefined, null, 1, 'no', { valid: false }, []])(
    'registry.verifySecret returning %j is reported as ERR_HOST_CALLBACK',
    async (answer) => {
      const registry = checked({ verifySecret: async () => answer })
      const client = (await registry.find('k1'))!
      await expect(registry.verifySecret(client, 'any')).rejects.toThrow(
        failure('ERR_HOST_CALLBACK', expect.stringContaining('registry.verifySecret returned')),
      )
    },
  )

  it('the callbacks of the host keep their `this`, and the caller receives their errors unchanged', async () => {
    class HostRegistry {
      readonly #rows = new Map([['k1', key]])
      find(clientId: string) {
        return this.#rows.get(clientId)
      }
      verifySecret() {
        return this.#rows.size === 1
      }
    }
    const registry = createHostRegistry(new HostRegistry() as unknown as Registry)
    const client = (await registry.find('k1'))!
    expect(await registry.verifySecret(client, 'any')).toBe(true)
    const error = new Error('the database is away')
    await expect(checked({ find: () => Promise.reject(error) }).find('k1')).rejects.toBe(error)
  })
})
