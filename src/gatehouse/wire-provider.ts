import Keygrip from 'keygrip'
import { buildProvider, type Provider } from '../authorization-server/provider/build-provider.ts'
import { createInteractionAdmission } from '../authorization-server/provider/endpoints/authorize/interaction-admission.ts'
import { createRevokeOwnToken } from '../access/revoke-own-token.ts'
import type { Pages } from '../authorization-server/interaction/pages.ts'
import { createPrincipal, type Principal } from '../gateway/principal.ts'
import { createTokenVerifier } from '../gateway/verify-token.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { SigningJwk } from '../keys/generate-key.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import { createMemoryWatch } from '../store/memory-watch.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'
import type { Authorizations } from './wire-grants.ts'

/** Builds the authorization server for a set of signing keys: one private key for ES256 and one for RS256. */
export type BuildProvider = (signingKeys: readonly SigningJwk[]) => Provider

/** Wires the authorization server, except for its signing keys, which change while it runs. */
export function createProviderBuilder(
  core: Core,
  clients: Clients,
  authorizations: Authorizations,
  { keys, pages }: { readonly keys: Pick<KeySource, 'getKey'>; readonly pages: Pages },
): BuildProvider {
  const { settings, store, logger } = core
  const cookieSecrets = settings.secrets.map((secret) => deriveKey(secret, 'cookies').toString('base64url'))
  const cookieKeys = new Keygrip(cookieSecrets, 'sha256')
  const interactionAdmission = createInteractionAdmission({
    max: settings.maxPendingInteractions,
    seconds: settings.lifetimes.signIn,
    memory: createMemoryWatch({ store, logger }),
    logger,
  })
  const revokeOwnToken = createRevokeOwnToken({
    revocations: core.revocations,
    revoked: core.revoked,
    log: core.revocationLog,
    clientTokens: clients.clientTokens,
    max: settings.maxRevocationsPerClient,
    logger,
  })
  const { issuer, audience } = settings
  const verify = createTokenVerifier({ issuer, audience, getKey: keys.getKey })

  async function verifyAccessToken(jwt: string): Promise<Principal | undefined> {
    const outcome = await verify(jwt)
    return 'problem' in outcome ? undefined : createPrincipal(outcome, jwt)
  }

  return (signingKeys) =>
    buildProvider({
      settings,
      store,
      catalog: core.catalog,
      registry: clients.registry,
      accounts: core.accounts,
      families: authorizations.families,
      grantLifecycle: authorizations.grantLifecycle,
      consents: authorizations.consents,
      refreshTokenFormat: authorizations.refreshTokenFormat,
      signingKeys,
      cookieKeys,
      verifyAccessToken,
      revocations: core.revocations,
      revokeOwnToken,
      isTokenRevoked: core.revoked.isTokenRevoked,
      isGrantScopeRevoked: core.revoked.isGrantScopeRevoked,
      clientUsed: clients.clientUsed,
      interactionAdmission,
      pages,
      events: core.events,
      audit: core.audit,
      logger,
    })
}
