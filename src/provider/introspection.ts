import type { Client as ProviderClient, KoaContextWithOIDC } from 'oidc-provider'
import type { CheckedRegistry } from '../registry/checked-registry.ts'
import { recordOf } from './client-metadata.ts'
import type { HostAccounts } from './host-accounts.ts'
import type { WithUser } from './seam.ts'

/** What is asked about: a token of any kind that is in force as far as it goes itself. */
interface Asked {
  readonly kind: string
  readonly clientId?: string | undefined
  readonly accountId?: string | undefined
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Whether a client is told about a token (RFC 7662 2.1); all that anybody else hears is that it is not active. It is
 * not active either if its client or account is gone, of which a gateway may not have heard.
 */
export type MayIntrospect = (
  ctx: KoaContextWithOIDC,
  client: ProviderClient,
  token: Asked,
) => Promise<boolean>

/** Makes the rule: a client about its own tokens, a resource server about all access tokens. */
export function createMayIntrospect(registry: CheckedRegistry, hostAccounts: HostAccounts): MayIntrospect {
  return async function mayIntrospect(ctx, caller, token) {
    const isOwn = token.clientId === caller.clientId
    if (!isOwn && !(isResourceServer(caller) && token.kind !== 'RefreshToken')) return false
    const client = isOwn ? recordOf(caller) : await registry.find(token.clientId ?? '')
    if (!client || client.disabled) return false
    const accountId = token.accountId ?? client.accountId
    return (await hostAccounts.find(ctx, accountId, userOf(ctx, token))) !== undefined
  }
}

/** A refresh token belongs to a client alone: nobody else has any business with one (RFC 6749 1.5). */
function isResourceServer(caller: ProviderClient): boolean {
  const client = recordOf(caller)
  return client.kind === 'apiKey' && client.resourceServer
}

/** Which member of the account it is about: an access token says it, of a refresh token the grant does. */
function userOf(ctx: KoaContextWithOIDC, { extra }: Asked): string | undefined {
  const userId = extra?.['user_id']
  if (typeof userId === 'string') return userId
  return (ctx.oidc.entities.Grant as WithUser | undefined)?.userId
}
