import type { Context } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { requesterOf } from '../../http/client-address.ts'
import { recordOf } from './client-metadata.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { hasCredentials } from './missing-secret.ts'
import { requestState } from './request-state.ts'

type Reporters = Pick<ProviderDependencies, 'audit' | 'events'>

/** Reports requests with wrong client secrets to the audit trail and as events. No response waits for it. */
export function reportWrongSecrets(provider: Provider, reporters: Reporters): void {
  function report(ctx: KoaContextWithOIDC, { error }: { readonly error?: unknown }): void {
    if (error !== 'invalid_client' || !hasCredentials(ctx)) return
    const { client } = ctx.oidc
    reportWrongSecret(reporters, requestState(ctx).host, client && recordOf(client))
  }

  provider.on('grant.error', report)
  provider.on('introspection.error', report)
  provider.on('revocation.error', report)
}

/**
 * Reports one request with a wrong client secret.
 *
 * @param ctx the host's context
 * @param client undefined if no client has the id that was sent
 */
export function reportWrongSecret({ audit, events }: Reporters, ctx: Context, client?: Client): void {
  const failure = { ...(client && { clientId: client.clientId }), ...requesterOf(ctx) }
  audit.reject({
    name: 'client_authentication.failed',
    kind: client?.kind,
    accountId: client?.accountId,
    ...failure,
  })
  events.emit('client_authentication.failed', failure)
}
