import { CALLBACK, SIGNED_OUT, type FuzzHost } from './fuzz-host.ts'

/** An API key or application of the host. */
export interface KnownClient {
  readonly label: string
  readonly kind: 'apiKey' | 'application'
  readonly clientId: string
  readonly clientSecret: string
  /** Whether the client can get tokens. */
  readonly canGetTokens: boolean
}

/** Makes the clients of a host. Some of these clients get no token. */
export async function createClients({ gatehouse }: FuzzHost): Promise<KnownClient[]> {
  const products = ['items', 'banks', 'texts']
  const clients: KnownClient[] = []
  const apiKey = async (label: string, changes: object = {}, canGetTokens = true) => {
    const made = await gatehouse.apiKeys.create({ accountId: 'acme', name: label, products, ...changes })
    const { clientId } = made.apiKey
    clients.push({ label, kind: 'apiKey', clientId, clientSecret: made.clientSecret ?? '', canGetTokens })
  }
  const application = async (label: string, changes: object = {}) => {
    const made = await gatehouse.applications.create({
      accountId: 'acme',
      name: `${label} <fuzz> "quoted"`,
      products,
      redirectUris: [CALLBACK],
      postLogoutRedirectUris: [SIGNED_OUT],
      ...changes,
    })
    const { clientId } = made.application
    clients.push({
      label,
      kind: 'application',
      clientId,
      clientSecret: made.clientSecret ?? '',
      canGetTokens: true,
    })
  }
  await apiKey('an API key')
  await apiKey('an API key of two products', {
    products: ['items', 'texts'],
    removedOperations: ['items:drop'],
  })
  await apiKey('a resource server', { resourceServer: true })
  await apiKey('a disabled API key', {}, false)
  await apiKey('a deleted API key', {}, false)
  await apiKey('an API key without products', { products: [] }, false)
  await application('an application')
  await application('another application', { redirectUris: [CALLBACK, `${CALLBACK}?tenant=7`] })
  return clients
}
