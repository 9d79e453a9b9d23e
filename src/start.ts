import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { CatalogNotice } from './catalog-notice.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { Principal } from './gateway/principal.ts'
import { createTokenVerifier } from './gateway/verify-token.ts'
import { loadKeyRing, type KeyRing } from './keys/key-ring.ts'
import { createKeySealing } from './keys/sealing.ts'
import type { Settings } from './options.ts'
import type { RevocationFollower } from './tokens/revocations/follow-revocations.ts'
import type { LongestLifetime } from './tokens/revocations/longest-lifetime.ts'
import { buildProvider, type BuiltProvider } from './provider/build-provider.ts'
import type { ProviderDependencies, VerifiedAccessToken } from './provider/dependencies.ts'

/** What is there once it runs. */
export interface Running {
  readonly keyRing: KeyRing
  readonly getKey: ReturnType<typeof createLocalJWKSet>
  readonly built: BuiltProvider
  /** Ends listening to other processes. */
  readonly leave: () => Promise<void>
}

/** What a start is handed: all that the authorization server needs but the keys, which it loads. */
export interface StartParts extends Omit<ProviderDependencies, 'signingKeys' | 'verifyAccessToken'> {
  readonly settings: Settings
  readonly catalog: LiveCatalog
  readonly catalogNotice: CatalogNotice
  readonly follower: RevocationFollower
  readonly longestLifetime: LongestLifetime
}

/**
 * Goes from nothing to running: store, products, keys, authorization server. Called again from the beginning
 * if the store is away.
 */
export function createStart(parts: StartParts): () => Promise<Running> {
  const { settings, store, catalog, catalogNotice, follower, longestLifetime, isRevoked } = parts

  async function load(leave: () => Promise<void>): Promise<Running> {
    await catalog.start()
    await Promise.all([longestLifetime.seconds(), follower.start()])
    const keyRing = await loadKeyRing(store, createKeySealing(settings.secrets), settings.logger)
    const getKey = createLocalJWKSet(keyRing.published as JSONWebKeySet)
    const built = buildProvider({
      ...parts,
      signingKeys: keyRing.signing,
      verifyAccessToken: verifyWith(getKey, settings, isRevoked),
    })
    return { keyRing, getKey, built, leave }
  }

  return async function start() {
    await store.ping()
    // Before the products are loaded, so that no change in between is missed.
    const leave = await catalogNotice.follow()
    try {
      return await load(leave)
    } catch (error) {
      await leave()
      throw error
    }
  }
}

/** The check of our own access tokens, for the user info endpoint. */
function verifyWith(
  getKey: Running['getKey'],
  { issuer, audience }: Settings,
  isRevoked: StartParts['isRevoked'],
) {
  const verify = createTokenVerifier({ issuer, audience, getKey })
  return async (jwt: string): Promise<VerifiedAccessToken | undefined> => {
    const outcome = await verify(jwt)
    return isPrincipal(outcome) && !isRevoked(outcome) ? outcome : undefined
  }
}

function isPrincipal(
  outcome: Awaited<ReturnType<ReturnType<typeof createTokenVerifier>>>,
): outcome is Principal {
  return !('problem' in outcome)
}
