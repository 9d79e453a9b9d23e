import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { requesterOf } from '../../http/client-address.ts'
import { recordOf } from './client-metadata.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { hasCredentials } from './missing-secret.ts'
import { requestState } from './request-state.ts'

/** Reports requests with wrong client secrets to the audit trail and as events. No response waits for it. */
export function reportWrongSecrets(
  provider: Provider,
  { audit, events }: Pick<ProviderDependencies, 'audit' | 'events'>,
): void {
  function report(ctx: KoaContextWithOIDC, { error }: { readonly error?: unknown }): void {
    if (error !== 'invalid_client' || !hasCredentials(ctx)) return
    const { client } = ctx.oidc
    const failure = { ...(client && { clientId: client.clientId }), ...requesterOf(requestState(ctx).host) }
    const { kind, accountId } = client ? recordOf(client) : {}
    audit.reject({ name: 'client_authentication.failed', kind, accountId, ...failure })
    events.emit('client_authentication.failed', failure)
  }

  provider.on('grant.error', report)
  provider.on('introspection.error', report)
  provider.on('revocation.error', report)
}
