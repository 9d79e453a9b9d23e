import type { Gatehouse } from 'koa-gatehouse'
import { DEVELOPER_ACCOUNT } from './accounts.ts'

/** The credentials of a client at the token endpoint. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

const KEY_NAME = 'Demo key'
const APPLICATION_NAME = 'Tallybook'

/**
 * Creates the demo API key and the demo application, as a developer would in a console.
 *
 * In Redis, the clients of an earlier start still exist. A secret is shown once and stored as a hash. So each
 * start makes new secrets for these clients, and the previous secrets expire.
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
      // An operation that the key does not need is removed, so that its tokens do not carry it.
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
      // The ports may have changed since the previous start.
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
