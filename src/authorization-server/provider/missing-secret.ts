import { errorOf, type ProviderResponse } from './fix-responses.ts'

/**
 * Explains the error to a client that sent its id without a secret, and adds a `WWW-Authenticate` challenge
 * (RFC 9110 15.5.2). A client that sent a wrong secret in the body gets no challenge. That client already
 * knows how to authenticate, and with a challenge its library would not read the error.
 */
export function explainMissingSecret(ctx: ProviderResponse): void {
  if (errorOf(ctx) !== 'invalid_client' || hasCredentials(ctx)) return
  ctx.set('WWW-Authenticate', `Basic realm="${ctx.oidc.issuer}"`)
  ctx.body = {
    error: 'invalid_client',
    error_description:
      'client_secret is missing: send it in the body or by HTTP Basic. Clients that cannot keep a secret, ' +
      'such as browsers and mobile apps, are not supported',
  }
}

/** Whether a request has a client secret. */
export function hasCredentials(ctx: Pick<ProviderResponse, 'headers' | 'oidc'>): boolean {
  return ctx.headers.authorization !== undefined || ctx.oidc.body?.['client_secret'] !== undefined
}
