import { expect, it } from 'vitest'
import { failure } from './each-kind.ts'
import { describeOnEachStore, services, watched } from './setup.ts'

const REDIRECT = 'https://partner.example/callback'

describeOnEachStore('applications', (stores) => {
  it('an application is created with the addresses of the input', async () => {
    const { applications } = services(stores.open())
    const addresses = {
      redirectUris: [REDIRECT, 'http://localhost:3001'],
      postLogoutRedirectUris: ['https://partner.example/bye?ok=1'],
      homepageUri: 'https://partner.example/#about',
      logoUri: 'https://partner.example/logo.svg',
      privacyUri: 'https://partner.example/privacy',
      termsUri: 'http://localhost/terms',
      firstParty: true,
    }
    const { application } = await applications.create({ accountId: 'acme', name: 'App', ...addresses })
    expect(application).toMatchObject(addresses)
    expect(await applications.find(application.clientId)).toEqual(application)
  })

  it('creating an application with invalid addresses is rejected, and the error names each address with its problem', async () => {
    const { store, calls } = watched(stores.open())
    const { applications } = services(store)
    const input = {
      accountId: 'acme',
      name: 'App',
      redirectUris: [REDIRECT, 'https://Partner.example/callback', 'http://partner.example/', REDIRECT],
      postLogoutRedirectUris: Array.from({ length: 21 }, (_, index) => `https://partner.example/${index}`),
      homepageUri: 'javascript:alert(1)',
      logoUri: 'http://localhost/logo.svg',
      privacyUri: 'javascript:alert(1)',
      termsUri: 'http://partner.example/terms',
      firstParty: 'true',
    }
    await expect(applications.create(input as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      problems: [
        {
          path: 'redirectUris[1]',
          message: 'must be written the way that browsers write it: "https://partner.example/callback"',
        },
        { path: 'redirectUris[2]', message: expect.stringContaining('must start with "https://"') },
        { path: 'redirectUris[3]', message: 'is in the list already' },
        { path: 'postLogoutRedirectUris', message: 'must have at most 20 entries' },
        { path: 'homepageUri' },
        { path: 'logoUri' },
        { path: 'privacyUri' },
        { path: 'termsUri' },
        { path: 'firstParty', message: 'must be true or false, and is a text' },
      ],
    })
    expect(calls).toEqual([])
  })

  it('each setter changes one field and emits one event, and a repeated call emits nothing', async () => {
    const { applications, emitted } = services(stores.open())
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    const { clientId } = application
    emitted.length = 0
    const by = { actor: 'ann' }
    for (const _ of ['once', 'and again']) {
      await applications.update(clientId, { redirectUris: [REDIRECT] }, by)
      await applications.update(clientId, { postLogoutRedirectUris: ['https://partner.example/bye'] }, by)
      await applications.update(clientId, { homepageUri: 'https://partner.example' }, by)
      await applications.update(clientId, { logoUri: 'https://partner.example/logo.svg' }, by)
      await applications.update(clientId, { privacyUri: 'https://partner.example/privacy' }, by)
      await applications.update(clientId, { termsUri: 'http://localhost/terms' }, by)
      await applications.setFirstParty(clientId, true, by)
    }
    const last = {
      ...application,
      redirectUris: [REDIRECT],
      postLogoutRedirectUris: ['https://partner.example/bye'],
      homepageUri: 'https://partner.example',
      logoUri: 'https://partner.example/logo.svg',
      privacyUri: 'https://partner.example/privacy',
      termsUri: 'http://localhost/terms',
      firstParty: true,
    }
    expect(await applications.find(clientId)).toEqual(last)
    const changed = {
      event: 'client.changed',
      kind: 'application',
      clientId,
      accountId: 'acme',
      actor: 'ann',
    }
    expect(emitted).toEqual([
      { ...changed, change: 'redirectUris' },
      { ...changed, change: 'postLogoutRedirectUris' },
      { ...changed, change: 'homepageUri' },
      { ...changed, change: 'logoUri' },
      { ...changed, change: 'privacyUri' },
      { ...changed, change: 'termsUri' },
      { ...changed, change: 'firstParty' },
    ])
  })

  it('null removes the home page, the logo, the privacy policy and the terms, and an empty list removes all redirect URIs', async () => {
    const { applications } = services(stores.open())
    const { application } = await applications.create({
      accountId: 'acme',
      name: 'App',
      redirectUris: [REDIRECT],
      homepageUri: 'https://partner.example',
      logoUri: 'https://partner.example/logo.svg',
      privacyUri: 'https://partner.example/privacy',
      termsUri: 'https://partner.example/terms',
    })
    const nothing = { homepageUri: null, logoUri: null, privacyUri: null, termsUri: null, redirectUris: [] }
    const last = await applications.update(application.clientId, nothing)
    expect(last.redirectUris).toEqual([])
    const left = [last.homepageUri, last.logoUri, last.privacyUri, last.termsUri]
    expect(left.filter((uri) => uri !== undefined)).toEqual([])
  })

  it('an invalid value changes nothing', async () => {
    const { applications, emitted } = services(stores.open())
    const { application } = await applications.create({
      accountId: 'acme',
      name: 'App',
      redirectUris: [REDIRECT],
    })
    const { clientId } = application
    const bad = [
      () => applications.update(clientId, { redirectUris: ['https://partner.example/*'] }),
      () => applications.update(clientId, { redirectUris: null as never }),
      () => applications.update(clientId, { redirectUris: REDIRECT as never }),
      () => applications.update(clientId, { postLogoutRedirectUris: ['https://partner.example/#bye'] }),
      () => applications.update(clientId, { postLogoutRedirectUris: null as never }),
      () => applications.update(clientId, { homepageUri: 'data:text/html,hello' }),
      () => applications.update(clientId, { logoUri: '' }),
      () => applications.update(clientId, { privacyUri: 'javascript:alert(1)' }),
      () => applications.update(clientId, { termsUri: '' }),
      () => applications.setFirstParty(clientId, 'true' as never),
      () => applications.setFirstParty(clientId, undefined as never),
    ]
    for (const attempt of bad) await expect(attempt()).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    expect(await applications.find(clientId)).toEqual(application)
    expect(emitted).toHaveLength(1)
  })

  it('changes and additional fields of applications reject API keys', async () => {
    const { apiKeys, applications } = services(stores.open())
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    await expect(applications.update(apiKey.clientId, { redirectUris: [REDIRECT] })).rejects.toThrow(
      failure('ERR_NOT_FOUND'),
    )
    await expect(applications.setFirstParty(apiKey.clientId, true)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    const input = { accountId: 'acme', name: 'Key', redirectUris: [REDIRECT], firstParty: true }
    await expect(apiKeys.create(input)).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    expect(await apiKeys.find(apiKey.clientId)).toEqual(apiKey)
  })
})
