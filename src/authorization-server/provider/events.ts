import type { Provider, KoaContextWithOIDC } from 'oidc-provider'
import { personOf } from '../../host/subject.ts'
import { emitAppError } from '../../host/emit-app-error.ts'
import { recordOf } from './client-metadata.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { FAILED, isStoreUnavailable, logFailure, UNAVAILABLE } from './errors.ts'
import { requestState } from './request-state.ts'

/** Tells host and operators what the authorization server did, from oidc-provider's own events. */
export function registerEvents(
  provider: Provider,
  { events, logger, clientUsed }: Pick<ProviderDependencies, 'events' | 'logger' | 'clientUsed'>,
): void {
  provider.on('grant.success', (ctx) => {
    const token = ctx.oidc.entities.AccessToken ?? ctx.oidc.entities.ClientCredentials
    if (!token) return
    const client = recordOf(ctx.oidc.client)
    const isDirect = token.kind === 'ClientCredentials'
    const grant = isDirect ? undefined : ctx.oidc.entities.Grant
    const { accountId, userId } = grant?.accountId === undefined ? client : personOf(grant.accountId)
    // With a refresh token it goes together with the last write (`refresh-tokens.ts`).
    if (isDirect) clientUsed(client)
    events.emit('token.issued', {
      mode: isDirect ? 'direct' : 'delegated',
      clientId: client.clientId,
      accountId,
      userId,
      tokenId: token.jti,
      grantId: grant?.jti,
      scopes: [...token.scopes],
      expiresAt: Math.floor(Date.now() / 1000) + token.expiration,
    })
  })

  provider.on('grant.error', (ctx, error) => {
    const { client } = ctx.oidc
    logger.debug({ error: error.error, detail: error.error_detail }, 'the token endpoint rejected a request')
    events.emit('token.rejected', {
      clientId: client?.clientId,
      error: error.error,
      description: error.error_description,
    })
  })

  provider.on('server_error', (ctx, error) => {
    reportFailure(ctx, error)
    logFailure(logger, error, { route: ctx.oidc?.route })
    events.emit('error', { error })
  })
}

/**
 * oidc-provider answers 500 whatever failed, in words of its own. A store that is away is no reason to give up:
 * the client may try again (RFC 9110 10.2.3 and 15.6.4).
 *
 * Relies on: the event comes when the answer has been written, and before it is sent.
 */
function reportFailure(ctx: KoaContextWithOIDC & { body?: unknown }, error: Error): void {
  const isForNow = isStoreUnavailable(error)
  const answer = ctx.body as { error?: string } | undefined
  if (answer?.error === 'server_error') ctx.body = { ...(isForNow ? UNAVAILABLE : FAILED) }
  if (!isForNow) {
    emitAppError(requestState(ctx).host, error)
    return
  }
  ctx.status = error.status
  ctx.set({ ...error.headers })
}
