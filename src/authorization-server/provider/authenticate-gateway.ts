import type { Context } from 'koa'
import { requesterOf } from '../../audit/entry.ts'
import { networksClaim } from '../../clients/allowed-addresses.ts'
import { findSecretOf } from '../../clients/client-registry.ts'
import type { Client } from '../../clients/client.ts'
import { whyUnusable } from '../../clients/why-no-token.ts'
import { describeAddress } from '../../http/client-address.ts'
import { readBasicCredentials } from '../../http/basic-credentials.ts'
import { reject } from '../../http/error-response.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { reportWrongSecret, TOO_MANY_WRONG_SECRETS, type Reporters } from './wrong-secrets.ts'

export type GatewayAuthentication = Reporters &
  Pick<ProviderDependencies, 'registry' | 'secretUsed' | 'proxyCheck'> & { readonly issuer: string }

/** Finds the API key of a gateway, which authenticates by HTTP Basic. Undefined if it has answered: 401, 403 or 429. */
export async function authenticateGateway(
  parts: GatewayAuthentication,
  ctx: Context,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(ctx.get('Authorization'))
  const client = credentials && (await parts.registry.find(credentials.clientId))
  const secret = client && findSecretOf(client, credentials.clientSecrets)
  if (!client || !secret || whyUnusable(client)) {
    const sent = { sentClientId: credentials?.clientId, client, isRight: secret !== undefined }
    const waitSeconds = credentials ? reportWrongSecret(parts, ctx, sent) : 0
    if (waitSeconds > 0) {
      ctx.set('Retry-After', String(waitSeconds))
      return reject(ctx, 429, TOO_MANY_WRONG_SECRETS.error, TOO_MANY_WRONG_SECRETS.error_description)
    }
    ctx.set('WWW-Authenticate', `Basic realm="${parts.issuer}"`)
    const why = 'send client_id and client_secret of a resource server by HTTP Basic'
    return reject(ctx, 401, 'invalid_client', why)
  }
  parts.secretUsed(client, secret)
  if (client.kind !== 'apiKey' || !client.resourceServer) {
    const why =
      'this endpoint is only for API keys that are marked as resource servers (apiKeys.setResourceServer)'
    return reject(ctx, 403, 'unauthorized_client', why)
  }
  const [networks, { address }] = [networksClaim(client), requesterOf(ctx)]
  if (networks === undefined || parts.proxyCheck.mayUseFrom(networks, address)) return client
  return reject(ctx, 403, 'unauthorized_client', describeAddress(address))
}
