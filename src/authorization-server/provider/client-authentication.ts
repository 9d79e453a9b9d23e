import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { findSecretOf } from '../../clients/client-registry.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderSettings } from './dependencies.ts'
import { candidatesIn } from './models/clients.ts'
import { errorOf, type FixResponse, type ProviderResponse } from './fix-responses.ts'
import { reportWrongSecret, TOO_MANY_WRONG_SECRETS, type Reporters } from './wrong-secrets.ts'

/**
 * Explains the error to a client that sent no secret, with a `WWW-Authenticate` challenge (RFC 9110 15.5.2). A client
 * that sent a wrong secret in the body gets no challenge, because its library would then not read the error.
 */
export function createExplainMissingSecret({ publicClients }: ProviderSettings): FixResponse {
  function whoNeedsSecret(route: string): string {
    if (!publicClients) {
      return 'Clients that cannot keep a secret, such as browsers and mobile apps, are not supported'
    }
    return route === 'introspection'
      ? 'A public application cannot introspect tokens'
      : 'Only a public application has no secret'
  }

  return function explainMissingSecret(ctx) {
    if (errorOf(ctx) !== 'invalid_client') return
    const { client, issuer, route } = ctx.oidc
    const { documentProblem, unusableClient, host } = requestState(ctx)
    const explain = (description: string) => {
      ctx.body = { error: 'invalid_client', error_description: description }
    }
    if (documentProblem !== undefined) return explain(documentProblem)
    if (client && isPublicClient(recordOf(client, ctx))) return explain(NO_SECRET)
    if (hasCredentials(ctx)) return
    // A browser would ask the person for a user name and a password.
    const isOfPage = host.get('Origin') !== '' && host.get('Authorization') === ''
    if (!isOfPage) ctx.set('WWW-Authenticate', `Basic realm="${issuer}"`)
    if (publicClients && unusableClient && isPublicClient(unusableClient)) return
    explain(`client_secret is missing: send it in the body or by HTTP Basic. ${whoNeedsSecret(route)}`)
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

/** Reports requests with wrong client secrets to the audit trail and as events. */
export function reportWrongSecrets(provider: Provider, reporters: Reporters): void {
  function report(ctx: KoaContextWithOIDC, { error }: { readonly error?: unknown }): void {
    if (error !== 'invalid_client' || !hasCredentials(ctx)) return
    const { host, sentClientId, unusableClient } = requestState(ctx)
    const client = ctx.oidc.client ? recordOf(ctx.oidc.client) : unusableClient
    const isRight = unusableClient && !ctx.oidc.client && mayBeRight(ctx, unusableClient)
    const waitSeconds = reportWrongSecret(reporters, host, { sentClientId, client, isRight })
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

function mayBeRight(ctx: KoaContextWithOIDC, client: Client): boolean {
  if (ctx.oidc.params?.['client_assertion'] !== undefined) return true
  return findSecretOf(client, candidatesIn(ctx, String(ctx.oidc.body?.['client_secret']))) !== undefined
}
