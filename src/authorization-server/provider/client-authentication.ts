import type { Context } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { requesterOf } from '../../audit/entry.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderDependencies, ProviderSettings } from './dependencies.ts'
import { errorOf, type ProviderResponse } from './fix-responses.ts'
import { TOO_MANY_WRONG_SECRETS } from './wrong-secret-limit.ts'

// What follows if a client secret is missing or wrong. `models/clients.ts` compares the secrets at oidc-provider's
// endpoints.

/**
 * Explains the error to a client that sent its id without a secret, and adds a `WWW-Authenticate` challenge (RFC
 * 9110 15.5.2). A client that sent a wrong secret in the body gets no challenge, because its library would then
 * not read the error. Also explains the error to a public application that sent a secret, and to a client whose metadata
 * document cannot be used.
 */
export function createExplainMissingSecret({
  publicClients,
}: Pick<ProviderSettings, 'publicClients'>): (ctx: ProviderResponse) => void {
  function whoNeedsSecret(route: string): string {
    if (!publicClients) {
      return 'Clients that cannot keep a secret, such as browsers and mobile apps, are not supported'
    }
    return route === 'introspection'
      ? 'A public application cannot introspect tokens'
      : 'Only a public application has no secret'
  }

  return function explainMissingSecret(ctx) {
    const { client, issuer, route } = ctx.oidc
    if (errorOf(ctx) !== 'invalid_client') return
    const { documentProblem } = requestState(ctx)
    if (documentProblem !== undefined) {
      ctx.body = { error: 'invalid_client', error_description: documentProblem }
      return
    }
    if (client && isPublicClient(recordOf(client, ctx))) {
      ctx.body = { error: 'invalid_client', error_description: NO_SECRET }
    } else if (!hasCredentials(ctx)) {
      ctx.set('WWW-Authenticate', `Basic realm="${issuer}"`)
      const description = `client_secret is missing: send it in the body or by HTTP Basic. ${whoNeedsSecret(route)}`
      ctx.body = { error: 'invalid_client', error_description: description }
    }
  }
}

const NO_SECRET = 'this is a public application: it has no secret, so send its client_id alone'

function hasCredentials(ctx: Pick<ProviderResponse, 'headers' | 'oidc'>): boolean {
  const { authorization } = ctx.headers
  // oidc-provider reads assertions only with the option `privateKeyJwt`.
  const assertion = ctx.oidc.params?.['client_assertion']
  return (
    authorization !== undefined || ctx.oidc.body?.['client_secret'] !== undefined || assertion !== undefined
  )
}

type Reporters = Pick<ProviderDependencies, 'audit' | 'events' | 'wrongSecrets'>

/** Reports requests with wrong client secrets to the audit trail and as events. No response waits for these reports. */
export function reportWrongSecrets(provider: Provider, reporters: Reporters): void {
  function report(ctx: KoaContextWithOIDC, { error }: { readonly error?: unknown }): void {
    if (error !== 'invalid_client' || !hasCredentials(ctx)) return
    const { client } = ctx.oidc
    const { host } = requestState(ctx)
    const waitSeconds = reportWrongSecret(reporters, host, client && recordOf(client))
    if (waitSeconds === 0) return
    // The error response is written already, and is sent after this.
    ctx.status = 429
    ctx.remove('WWW-Authenticate')
    ctx.set('Retry-After', String(waitSeconds))
    ctx.body = TOO_MANY_WRONG_SECRETS
  }

  provider.on('grant.error', report)
  provider.on('introspection.error', report)
  provider.on('revocation.error', report)
}

/**
 * Reports one request with a wrong client secret. Beyond the bounds, a burst is one event and one entry.
 *
 * @param ctx the host's context
 * @param client undefined if no client has the id that was sent
 * @returns the seconds after which the caller may try again; 0 if it is within the bounds
 */
export function reportWrongSecret(
  { audit, events, wrongSecrets }: Reporters,
  ctx: Context,
  client?: Client,
): number {
  const { waitSeconds, isFirst } = wrongSecrets.add(client?.clientId, ctx)

  const failure = { ...(client && { clientId: client.clientId }), ...requesterOf(ctx) }
  audit.reject({
    name: 'client_authentication.failed',
    kind: client?.kind,
    // A client with a metadata document has no account.
    accountId: client?.accountId || undefined,
    ...failure,
  })
  if (waitSeconds === 0) events.emit('client_authentication.failed', failure)
  if (isFirst) events.emit('client_authentication.limited', failure)
  return waitSeconds
}
