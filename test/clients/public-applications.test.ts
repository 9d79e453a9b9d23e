import { expect, it } from 'vitest'
import { isPublicOrigin } from '../../src/clients/index-entries.ts'
import { createClientKey } from '../support/client-keys.ts'
import { describeOnEachStore, services } from './setup.ts'

const INPUT = { accountId: 'acme', name: 'Test', isPublic: true } as const
const WEB = 'https://spa.example.com/callback'

describeOnEachStore('public applications', (stores) => {
  it('have no secret, and are in no state that needs one', async () => {
    const { applications } = services(stores.open())
    const { application, clientSecret } = await applications.create({ ...INPUT, redirectUris: [WEB] })
    expect(clientSecret).toBeUndefined()
    expect(application).toMatchObject({ isPublic: true, redirectUris: [WEB], firstParty: false })
    expect(application.noSecret).toBeUndefined()
    const found = await applications.find(application.clientId)
    expect(found).toEqual(application)
    expect(await applications.listSecrets(application.clientId)).toEqual([])
  })

  it('get no secret and no key later, and have none that could leak', async () => {
    const { applications } = services(stores.open())
    const { clientId } = (await applications.create(INPUT)).application
    const { jwk } = await createClientKey()
    const hash = `sha256:${'A'.repeat(43)}`
    const attempts = [
      () => applications.rotateSecret(clientId),
      () => applications.rotateSecret(clientId, { idempotencyKey: 'once' }),
      () => applications.setSecretHash(clientId, hash),
      () => applications.addKey(clientId, jwk),
      () => applications.reportCompromised(clientId),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    expect((await applications.find(clientId))?.epoch).toBe(0)
  })

  it('cannot be created with a secret or a key', async () => {
    const { applications } = services(stores.open())
    const { jwk } = await createClientKey()
    const create = (more: object) => applications.create({ ...INPUT, ...more } as never)
    await expect(create({ secretHash: `sha256:${'A'.repeat(43)}` })).rejects.toMatchObject({
      problems: [{ path: 'secretHash' }],
    })
    await expect(create({ jwks: { keys: [jwk] } })).rejects.toMatchObject({ problems: [{ path: 'jwks' }] })
  })

  it('only they have origins and private-use schemes', async () => {
    const { applications } = services(stores.open())
    const app = 'com.example.app:/callback'
    const create = (more: object) =>
      applications.create({ accountId: 'acme', name: 'Test', ...more } as never)
    await expect(create({ redirectUris: [app] })).rejects.toMatchObject({
      problems: [{ path: 'redirectUris[0]', code: 'url-https' }],
    })
    await expect(create({ origins: ['https://a.example'] })).rejects.toMatchObject({
      problems: [{ path: 'origins', code: 'not-allowed' }],
    })
    const { application } = await applications.create({ accountId: 'acme', name: 'Test' })
    const { clientId } = application
    await expect(applications.update(clientId, { redirectUris: [app] })).rejects.toMatchObject({
      problems: [{ path: 'redirectUris[0]', code: 'url-https' }],
    })
    await expect(applications.update(clientId, { origins: ['https://a.example'] })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    })
    // An existing application cannot become public.
    await expect(applications.update(clientId, { isPublic: true } as never)).rejects.toMatchObject({
      problems: [{ path: 'isPublic', code: 'unknown' }],
    })
  })

  it('changes at the same time, and changes that are rejected, leave the origins of the application in the index', async () => {
    const store = stores.open()
    const [one, two] = [services(store), services(store)]
    const [kept, other] = ['https://kept.example', 'https://other.example']
    for (let round = 0; round < 10; round += 1) {
      const { clientId } = (await one.applications.create({ ...INPUT, origins: [kept] })).application
      await Promise.all([
        one.applications.update(clientId, { origins: [] }),
        two.applications.update(clientId, { origins: [kept, other] }),
      ])
      const { origins = [] } = (await one.applications.find(clientId)) ?? {}
      for (const origin of [kept, other]) {
        expect([origin, await isPublicOrigin(store, origin)]).toEqual([origin, origins.includes(origin)])
      }
      await one.applications.delete(clientId)
    }
    const { clientId } = (await one.applications.create({ ...INPUT, redirectUris: [WEB] })).application
    await one.applications.setFirstParty(clientId, true)
    const rejected = { redirectUris: ['http://127.0.0.1/cb'], origins: ['https://never.example'] }
    await expect(one.applications.update(clientId, rejected)).rejects.toThrow()
    expect(await isPublicOrigin(store, 'https://never.example')).toBe(false)
    expect(await isPublicOrigin(store, 'https://spa.example.com')).toBe(true)
  })

  it('the index of origins follows each change, and origins of other applications stay', async () => {
    const store = stores.open()
    const { applications } = services(store)
    const first = (await applications.create({ ...INPUT, redirectUris: [WEB] })).application
    const second = (await applications.create({ ...INPUT, origins: ['https://spa.example.com'] })).application
    const isKnown = () => isPublicOrigin(store, 'https://spa.example.com')
    expect(await isKnown()).toBe(true)
    await applications.update(first.clientId, { redirectUris: [] })
    expect(await isKnown()).toBe(true)
    await applications.delete(second.clientId)
    expect(await isKnown()).toBe(false)
    // A prefix of an origin is another origin.
    await applications.update(first.clientId, { redirectUris: ['https://spa.example.community/callback'] })
    expect(await isKnown()).toBe(false)
  })
})
