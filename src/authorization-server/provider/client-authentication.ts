import type { Context } from 'koa'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Client } from '../../clients/client.ts'
import { findSecret, type StoredClient } from '../../clients/client-registry.ts'
import type { StoredSecret } from '../../clients/stored-secrets.ts'
import { whyUnusable } from '../../clients/why-no-token.ts'
import { readBasicCredentials } from '../../http/basic-credentials.ts'
import { requesterOf } from '../../audit/entry.ts'
import { recordOf, requestState } from './request-state.ts'
import type { ProviderDependencies } from './dependencies.ts'
import { errorOf, type ProviderResponse } from './fix-responses.ts'

// Client authentication outside of oidc-provider: HTTP Basic at our own endpoint, and what follows if a secret is
// missing or wrong. `models/clients.ts` compares the secrets at oidc-provider's endpoints.

/**
 * Finds the client that authenticates by HTTP Basic (RFC 6749 2.3.1).
 *
 * @param authorization the header; empty if it is absent
 * @returns undefined for an unknown, disabled or expired client, a wrong secret or a malformed header
 */
export async function authenticateBasicClient(
  { registry, secretUsed }: Pick<ProviderDependencies, 'registry' | 'secretUsed'>,
  authorization: string,
): Promise<Client | undefined> {
  const credentials = readBasicCredentials(authorization)
  if (!credentials) return undefined
  const client = await registry.find(credentials.clientId)
  if (!client || whyUnusable(client)) return undefined
  const secret = findSecretOf(client, credentials.clientSecrets)
  if (secret) secretUsed(secret)
  return secret && client
}

/**
 * The stored secret of a client that matches the sent secret and is valid; undefined if there is none.
 *
 * @param candidates the possible readings of the sent secret: many clients do not encode their secret
 */
export function findSecretOf(client: StoredClient, candidates: readonly string[]): StoredSecret | undefined {
  const found = candidates.map((candidate) => findSecret(client, candidate))
  return found.find((secret) => secret !== undefined)
}

/**
 * Explains the error to a client that sent its id without a secret, and adds a `WWW-Authenticate` challenge (RFC
 * 9110 15.5.2). A client that sent a wrong secret in the body gets no challenge, because its library would then
 * not read the error.
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

function hasCredentials(ctx: Pick<ProviderResponse, 'headers' | 'oidc'>): boolean {
  return ctx.headers.authorization !== undefined || ctx.oidc.body?.['client_secret'] !== undefined
}

type Reporters = Pick<ProviderDependencies, 'audit' | 'events'>

/** Reports requests with wrong client secrets to the audit trail and as events. No response waits for these reports. */
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
