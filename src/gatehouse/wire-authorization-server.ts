import Keygrip from 'keygrip'
import { createRevokeOwnToken } from '../access/revoke-own-token.ts'
import type { Pages } from '../authorization-server/interaction/pages.ts'
import { buildProvider, type Provider } from '../authorization-server/provider/build-provider.ts'
import { createPendingInteractions } from '../authorization-server/provider/endpoints/authorize/pending-interactions.ts'
import { createReturns } from '../authorization-server/provider/models/returns.ts'
import { createInteractionPort } from '../authorization-server/provider/endpoints/authorize/interaction-port.ts'
import type { Features } from '../authorization-server/provider/features/load-features.ts'
import { jwksMaxAge } from '../authorization-server/provider/endpoints/jwks.ts'
import type { AuthorizationServerParts } from '../authorization-server/routing/authorization-server.ts'
import { createRequestsInFlight } from '../authorization-server/routing/requests-in-flight.ts'
import { GatehouseError } from '../errors.ts'
import { createPrincipal, type Principal } from '../gateway/principal.ts'
import { createVerifierOfResources } from '../gateway/verify-token.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

/**
 * Builds the authorization server for a set of signing keys, one private key for ES256 and one for RS256, and with the
 * features that options switch on.
 */
export type BuildProvider = (signingKeys: readonly SigningJwk[], features: Features) => Provider

/** Wires the authorization server, except for its signing keys, which change while it runs. */
export function createProviderBuilder(
  core: Core,
  clients: Clients,
  authorizations: Authorizations,
  { keys, pages }: { readonly keys: Pick<KeySource, 'getKey'>; readonly pages: Pages },
): BuildProvider {
  const { settings, revoked, logger } = core
  const { issuer } = settings
  const { now } = core.storeClock
  const verify = createVerifierOfResources(core.resources, { issuer, getKey: keys.getKey, now })

  async function verifyAccessToken(jwt: string): Promise<Principal | undefined> {
    const outcome = await verify(jwt)
    return 'problem' in outcome ? undefined : createPrincipal(outcome, jwt)
  }

  const cookieSecrets = settings.secrets.map((secret) => deriveKey(secret, 'cookies').toString('base64url'))
  const dependencies = {
    ...core,
    ...clients,
    ...authorizations,
    cookieKeys: new Keygrip(cookieSecrets, 'sha256'),
    verifyAccessToken,
    revokeOwnToken: createRevokeOwnToken({
      ...core,
      log: core.revocationLog,
      clientTokens: clients.clientTokens,
      max: settings.maxRevocationsPerClient,
    }),
    isTokenRevoked: revoked.isTokenRevoked,
    isGrantScopeRevoked: revoked.isGrantScopeRevoked,
    pendingInteractions: createPendingInteractions({
      max: settings.maxPendingInteractions,
      seconds: settings.lifetimes.signIn,
      memory: core.memory,
      logger,
    }),
    returns: createReturns(core.store, settings.secrets),
    pages,
  }
  return (signingKeys, features) => buildProvider({ ...dependencies, signingKeys, features })
}

/**
 * Wires the parts that answer requests below {auth_url}.
 *
 * @param running.provider the provider of the running service; undefined if the service is not running
 * @param running.ready waits for the start, as each request does
 */
export function createServerParts(
  core: Core,
  { registry, documents, clientUsed, secretUsed }: Clients,
  { consents }: Authorizations,
  pages: Pages,
  running: { provider(): Provider | undefined } & Pick<AuthorizationServerParts, 'ready'>,
): AuthorizationServerParts {
  const { settings, logger } = core
  const shared = { ...core, registry, clientUsed, secretUsed, consents, pages }

  function requireProvider(): Provider {
    const provider = running.provider()
    if (provider) return provider
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  return {
    ...shared,
    port: createInteractionPort({ ...shared, documents, provider: requireProvider }),
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    revocationSource: core.revocationLog,
    requestsInFlight: createRequestsInFlight({ max: settings.maxTokenRequests, logger }),
    jwksMaxAge: jwksMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    ready: running.ready,
  }
}
