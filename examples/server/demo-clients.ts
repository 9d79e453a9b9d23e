import type { ManagementClient } from './management-client.ts'

/** The credentials of a client at the token endpoint. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

const KEY_NAME = 'Demo key'
const APPLICATION_NAME = 'Tallybook'

/** A page of `GET /api-keys` or `GET /applications`. */
interface ClientPage {
  readonly items: readonly { readonly clientId: string }[]
}

/**
 * Creates the demo API key and the demo application, as a script of the developer would.
 *
 * In Redis, the clients of an earlier start still exist. A secret is shown once and stored as a hash. So each
 * start makes new secrets for these clients, and the previous secrets expire.
 */
export async function provideDemoClients(
  api: ManagementClient,
  partnerOrigin: string,
): Promise<{ apiKey: Credentials; application: Credentials }> {
  async function findByName(path: string, name: string): Promise<string | undefined> {
    const { items } = await api.get<ClientPage>(`${path}?name=${encodeURIComponent(name)}`)
    return items[0]?.clientId
  }

  async function rotateSecret(client: string): Promise<string> {
    const rotated = await api.send<Credentials>('POST', `${client}/secrets`, { overlapSeconds: 0 })
    return rotated.clientSecret
  }

  async function provideApiKey(): Promise<Credentials> {
    const known = await findByName('/api-keys', KEY_NAME)
    if (known !== undefined)
      return { clientId: known, clientSecret: await rotateSecret(`/api-keys/${known}`) }
    const { apiKey, clientSecret } = await api.send<{ apiKey: Credentials; clientSecret: string }>(
      'POST',
      '/api-keys',
      {
        name: KEY_NAME,
        products: ['invoices', 'payments'],
        // An operation that the key does not need is removed, so that its tokens do not carry it.
        removedOperations: ['invoices:create'],
      },
    )
    return { clientId: apiKey.clientId, clientSecret }
  }

  async function provideApplication(): Promise<Credentials> {
    const uris = {
      redirectUris: [`${partnerOrigin}/callback`],
      postLogoutRedirectUris: [`${partnerOrigin}/`],
    }
    const known = await findByName('/applications', APPLICATION_NAME)
    if (known !== undefined) {
      // The ports may have changed since the previous start.
      await api.send('PATCH', `/applications/${known}`, uris)
      return { clientId: known, clientSecret: await rotateSecret(`/applications/${known}`) }
    }
    const { application, clientSecret } = await api.send<{ application: Credentials; clientSecret: string }>(
      'POST',
      '/applications',
      {
        name: APPLICATION_NAME,
        products: ['invoices', 'payments'],
        ...uris,
        homepageUri: `${partnerOrigin}/`,
      },
    )
    return { clientId: application.clientId, clientSecret }
  }

  return { apiKey: await provideApiKey(), application: await provideApplication() }
}
