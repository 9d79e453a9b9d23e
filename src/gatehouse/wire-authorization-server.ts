import Keygrip from 'keygrip'
import { createRevokeOwnToken } from '../access/revoke-own-token.ts'
import type { Pages } from '../authorization-server/interaction/pages.ts'
import {
  buildProvider,
  type BuiltProvider,
  type Provider,
} from '../authorization-server/provider/build-provider.ts'
import { createPendingInteractions } from '../authorization-server/provider/endpoints/authorize/pending-interactions.ts'
import { createInteractionPort } from '../authorization-server/provider/endpoints/authorize/interaction-port.ts'
import type { Features } from '../authorization-server/provider/features/load-features.ts'
import type { AuthorizationServerParts } from '../authorization-server/routing/authorization-server.ts'
import { createRequestsInFlight } from '../authorization-server/routing/requests-in-flight.ts'
import { GatehouseError } from '../errors.ts'
import { createPrincipal, type Principal } from '../gateway/principal.ts'
import { createVerifierOfResources } from '../gateway/verify-token.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { Parts } from './parts.ts'

export type BuildProvider = (signingKeys: readonly SigningJwk[], features: Features) => BuiltProvider

/** Wires the authorization server, except for its signing keys, which change while it runs. */
export function createProviderBuilder(parts: Parts, pages: Pages): BuildProvider {
  const { settings, revoked, resources, keys, storeClock } = parts
  const { getKey } = keys
  const verify = createVerifierOfResources(resources, { ...settings, getKey, now: storeClock.now })

  async function verifyAccessToken(jwt: string): Promise<Principal | undefined> {
    const outcome = await verify(jwt)
    return 'problem' in outcome ? undefined : createPrincipal(outcome, jwt)
  }

  const cookieSecrets = settings.secrets.map((secret) => deriveKey(secret, 'cookies').toString('base64url'))
  const dependencies = {
    ...parts,
    cookieKeys: new Keygrip(cookieSecrets, 'sha256'),
    verifyAccessToken,
    revokeOwnToken: createRevokeOwnToken({
      ...parts,
      log: parts.revocationLog,
      max: settings.maxRevocationsPerClient,
    }),
    isTokenRevoked: revoked.isTokenRevoked,
    isGrantScopeRevoked: revoked.isGrantScopeRevoked,
    pendingInteractions: createPendingInteractions({
      ...parts,
      max: settings.maxPendingInteractions,
      seconds: settings.lifetimes.signIn,
    }),
    pages,
  }
  return (signingKeys, features) => buildProvider({ ...dependencies, signingKeys, features })
}

/** The parts that answer requests below {auth_url}. `provider` is undefined while the service does not run. */
export function createServerParts(
  parts: Parts,
  pages: Pages,
  running: { provider(): Provider | undefined } & Pick<AuthorizationServerParts, 'ready'>,
): AuthorizationServerParts {
  const { settings, logger } = parts
  const { signingKeys } = settings

  function requireProvider(): Provider {
    const provider = running.provider()
    if (provider) return provider
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  return {
    ...parts,
    pages,
    port: createInteractionPort({ ...parts, pages, provider: requireProvider }),
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    revocationSource: parts.revocationLog,
    requestsInFlight: createRequestsInFlight({ max: settings.maxTokenRequests, logger }),
    publishAheadSeconds: 'jwks' in signingKeys ? Infinity : signingKeys.publishAheadSeconds,
    ready: running.ready,
  }
}
