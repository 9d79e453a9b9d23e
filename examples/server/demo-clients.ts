import type { ManagementClient } from './management-client.ts'

/** The credentials of a client at the token endpoint. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

const KEY_NAME = 'Nightly export'
const APPLICATION_NAME = 'Tallybook'

/** Further clients, so that the console has something to show. The example does not use them. */
const FURTHER_CLIENTS = [
  { path: '/api-keys', name: 'Warehouse sync', products: ['invoices'] },
  { path: '/api-keys', name: 'Old importer', products: ['invoices', 'payments'], isDisabled: true },
  { path: '/api-keys', name: 'Reporting (draft)', products: [] },
  {
    path: '/applications',
    name: 'Ledger Lens',
    products: ['invoices', 'payments'],
    homepageUri: 'https://ledger-lens.example/',
    redirectUris: ['https://ledger-lens.example/callback'],
  },
]

/** A page of `GET /api-keys` or `GET /applications`. */
interface ClientPage {
  readonly items: readonly { readonly clientId: string }[]
}

/**
 * Creates the demo API key, the demo application and a few more, as a script of the developer would.
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
    // The oldest comes last. A client that a visitor has named in the same way keeps its secret.
    return items.at(-1)?.clientId
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

  async function provideFurtherClients(): Promise<void> {
    for (const { path, isDisabled, ...input } of FURTHER_CLIENTS) {
      if ((await findByName(path, input.name)) !== undefined) continue
      const created = await api.send<Record<string, Credentials>>('POST', path, input)
      const clientId = (created['apiKey'] ?? created['application'])?.clientId
      if (isDisabled) await api.send('POST', `${path}/${clientId}/disable`)
    }
  }

  const clients = { apiKey: await provideApiKey(), application: await provideApplication() }
  await provideFurtherClients()
  return clients
}
