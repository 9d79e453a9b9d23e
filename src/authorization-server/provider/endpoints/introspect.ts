import type { Client as ProviderClient, KoaContextWithOIDC } from 'oidc-provider'
import { whyUnusable } from '../../../clients/why-no-token.ts'
import { personOf } from '../../../host/subject.ts'
import { recordOf } from '../request-state.ts'
import type { ProviderParts } from '../dependencies.ts'

// The introspection endpoint (RFC 7662).

/**
 * A client may introspect its own tokens (RFC 7662 2.1), a resource server the access tokens of others for its
 * resources. Tokens of a disabled client, or without client or account, are not active.
 * @param token valid for oidc-provider. `accountId` is the subject, undefined for direct access; `aud` is the
 *   resource, undefined in a refresh token
 */
export async function mayIntrospect(
  { registry, accountLookup }: ProviderParts,
  ctx: KoaContextWithOIDC,
  caller: ProviderClient,
  token: {
    kind: string
    clientId?: string | undefined
    accountId?: string | undefined
    aud?: string | string[] | undefined
  },
): Promise<boolean> {
  const isOwn = token.clientId === caller.clientId
  if (!isOwn && !(token.kind !== 'RefreshToken' && isServerOf(caller, token.aud))) return false
  const client = isOwn ? recordOf(caller) : await registry.find(token.clientId ?? '')
  if (!client || whyUnusable(client)) return false
  const person = token.accountId === undefined ? client : personOf(token.accountId)
  return (await accountLookup.find(ctx, person)) !== undefined
}

function isServerOf(caller: ProviderClient, audience: string | string[] | undefined): boolean {
  const client = recordOf(caller)
  if (client.kind !== 'apiKey' || !client.resourceServer) return false
  return (
    client.resources === undefined || [audience ?? []].flat().some((each) => client.resources?.includes(each))
  )
}
