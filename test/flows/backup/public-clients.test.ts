import { afterEach, expect, it } from 'vitest'
import { importRegistry } from '../../../src/backup.ts'
import { exported } from '../../parts/backup/setup.ts'
import { asParameters, createClientKey, signAssertion } from '../../support/client-keys.ts'
import { startHost, type Host } from '../../support/host.ts'
import { connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

const OPTIONS = { publicApplications: true, privateKeyJwt: true }

describeEachStore('an export with public applications and public keys', (makeStore) => {
  const hosts: Host[] = []
  const start = async (): Promise<Host> => {
    const host = await startHost({ store: makeStore(), gatehouse: OPTIONS })
    hosts.push(host)
    return host
  }
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

  it('gives another store clients that work as before: without a secret, with their keys and their origins', async () => {
    const from = await start()
    const origin = 'https://spa.example.com'
    const client_id = await createPublicApplication(from, {
      redirectUris: [`${origin}/callback`, 'com.example.app:/callback'],
      origins: ['capacitor://localhost'],
    })
    const key = await createClientKey()
    const { apiKey } = await from.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Export',
      products: ['invoices'],
      jwks: { keys: [key.pem] },
    })
    const lines = await exported(from)
    expect(lines.join('')).not.toContain('"d"')

    const to = await start()
    await to.gatehouse.ready()
    const result = await importRegistry(to.gatehouse, lines)
    expect(result).toMatchObject({ apiKeys: 1, applications: 1, conflicts: [] })
    expect(await importRegistry(to.gatehouse, lines)).toMatchObject({
      apiKeys: 0,
      applications: 0,
      conflicts: [],
    })

    const { applications, apiKeys } = to.gatehouse
    expect(await applications.find(client_id)).toEqual(await from.gatehouse.applications.find(client_id))
    expect(await apiKeys.listKeys(apiKey.clientId)).toEqual(
      await from.gatehouse.apiKeys.listKeys(apiKey.clientId),
    )
    await connectPublic(to, client_id, { redirect_uri: `${origin}/callback` })
    const assertion = await signAssertion(key, apiKey.clientId, to.issuer)
    expect((await to.token({ ...asParameters(assertion), grant_type: 'client_credentials' })).status).toBe(
      200,
    )
    for (const each of [origin, 'capacitor://localhost']) {
      const headers = { origin: each, 'access-control-request-method': 'POST' }
      const preflight = await fetch(`${to.issuer}/oauth2/token`, { method: 'OPTIONS', headers })
      expect(preflight.headers.get('access-control-allow-origin')).toBe(each)
    }
    expect(await to.gatehouse.secrets.find(key.privatePem)).toMatchObject({ clientId: apiKey.clientId })
  })
})
