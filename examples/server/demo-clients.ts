import type { Gatehouse } from 'koa-gatehouse'
import { DEVELOPER_ACCOUNT } from './accounts.ts'

/** What a client needs at the token endpoint. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

const KEY_NAME = 'Demo key'
const APPLICATION_NAME = 'Tallybook'

/**
 * The demo API key and the demo application, as a developer would make them in a console.
 *
 * Redis remembers them from the last start, but not their secrets, which are shown once and kept as hashes:
 * then each gets a new one, and the last one ends.
 */
export async function provideDemoClients(
  { apiKeys, applications }: Gatehouse,
  partnerOrigin: string,
): Promise<{ apiKey: Credentials; application: Credentials }> {
  const accountId = DEVELOPER_ACCOUNT
  const actor = 'npm start'

  async function apiKey(): Promise<Credentials> {
    const known = (await apiKeys.listByOwner(accountId)).items.find(({ name }) => name === KEY_NAME)
    if (known) {
      const { clientSecret } = await apiKeys.rotateSecret(known.clientId, { overlapSeconds: 0, actor })
      return { clientId: known.clientId, clientSecret }
    }
    const { apiKey, clientSecret } = await apiKeys.create({
      accountId,
      name: KEY_NAME,
      products: ['invoices', 'payments'],
      // What an application does not need is taken off, so that its tokens do not carry it.
      removedOperations: ['invoices:create'],
      actor,
    })
    return { clientId: apiKey.clientId, clientSecret }
  }

  async function application(): Promise<Credentials> {
    const redirectUris = [`${partnerOrigin}/callback`]
    const postLogoutRedirectUris = [`${partnerOrigin}/`]
    const known = (await applications.listByOwner(accountId)).items.find(
      ({ name }) => name === APPLICATION_NAME,
    )
    if (known) {
      // The ports may be other ones this time.
      await applications.setRedirectUris(known.clientId, redirectUris, { actor })
      await applications.setPostLogoutRedirectUris(known.clientId, postLogoutRedirectUris, { actor })
      const { clientSecret } = await applications.rotateSecret(known.clientId, { overlapSeconds: 0, actor })
      return { clientId: known.clientId, clientSecret }
    }
    const { application, clientSecret } = await applications.create({
      accountId,
      name: APPLICATION_NAME,
      products: ['invoices', 'payments'],
      redirectUris,
      postLogoutRedirectUris,
      homepageUri: `${partnerOrigin}/`,
      actor,
    })
    return { clientId: application.clientId, clientSecret }
  }

  return { apiKey: await apiKey(), application: await application() }
}
