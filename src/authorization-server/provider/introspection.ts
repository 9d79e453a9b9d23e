import type { Client as ProviderClient, KoaContextWithOIDC } from 'oidc-provider'
import { personOf } from '../../host/subject.ts'
import type { HostRegistry } from '../../clients/host-registry.ts'
import { recordOf } from './client-metadata.ts'
import type { FindAccounts } from './find-account.ts'

/** What is asked about: a token of any kind that is in force as far as it goes itself. */
interface Asked {
  readonly kind: string
  readonly clientId?: string | undefined
  /** The subject; undefined of a direct token. */
  readonly accountId?: string | undefined
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
export function createMayIntrospect(registry: HostRegistry, hostAccounts: FindAccounts): MayIntrospect {
  return async function mayIntrospect(ctx, caller, token) {
    const isOwn = token.clientId === caller.clientId
    if (!isOwn && !(isResourceServer(caller) && token.kind !== 'RefreshToken')) return false
    const client = isOwn ? recordOf(caller) : await registry.find(token.clientId ?? '')
    if (!client || client.disabled) return false
    const person = token.accountId === undefined ? client : personOf(token.accountId)
    return (await hostAccounts.find(ctx, person)) !== undefined
  }
}

/** A refresh token belongs to a client alone: nobody else has any business with one (RFC 6749 1.5). */
function isResourceServer(caller: ProviderClient): boolean {
  const client = recordOf(caller)
  return client.kind === 'apiKey' && client.resourceServer
}
