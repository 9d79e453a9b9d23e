import type { JWTVerifyGetKey } from 'jose'
import type { CatalogSync } from '../catalog/sync/catalog-sync.ts'
import type { Principal } from '../gateway/principal.ts'
import { createTokenVerifier } from '../gateway/verify-token.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { RevocationFollower } from '../revocation/revocation-follower.ts'
import type { ResumeRevocations } from '../access/resume-revocations.ts'
import type { LongestLifetime } from '../revocation/longest-token-lifetime.ts'
import { buildProvider, type Provider } from '../authorization-server/provider/build-provider.ts'
import type { ProviderDependencies } from '../authorization-server/provider/dependencies.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'

/** What is there once it runs. What depends on the signing keys is another one when they have changed. */
export interface Running {
  readonly keyRing: KeyRing
  readonly getKey: JWTVerifyGetKey
  readonly provider: Provider
  /** Ends listening to other processes. */
  readonly leave: Leave
}

/** Ends listening to other processes. */
type Leave = () => Promise<void>

/** What a start is handed: all that the authorization server needs but the keys, which it loads. */
export interface StartParts extends Omit<ProviderDependencies, 'signingKeys' | 'verifyAccessToken'> {
  readonly settings: ResolvedOptions
  readonly keys: KeySource
  readonly catalogSync: CatalogSync
  /** Begins to hear of changes of API keys and applications. */
  readonly followClients: () => Promise<Leave>
  readonly follower: RevocationFollower
  readonly longestLifetime: LongestLifetime
  readonly resumeRevocations: ResumeRevocations
}

/**
 * Goes from nothing to running: store, products, keys, authorization server. Called again from the beginning
 * if the store is away.
 */
export function createStart(parts: StartParts): () => Promise<Running> {
  const { settings, store, keys, catalogSync, followClients, follower, longestLifetime, resumeRevocations } =
    parts

  async function load(leave: Leave): Promise<Running> {
    const stopKeys = await keys.follow()
    const verifyAccessToken = verifyWith(keys.getKey, settings)
    const build = () => buildProvider({ ...parts, signingKeys: keys.ring.signing, verifyAccessToken })
    let provider = build()
    // Requests that have begun go on with the one before; what they left behind is in the store, for either.
    const stopBuilding = keys.onChanged(() => (provider = build()))
    const stopFinishing = resumeRevocations.start()
    return {
      get keyRing() {
        return keys.ring
      },
      getKey: keys.getKey,
      get provider() {
        return provider
      },
      async leave() {
        stopFinishing()
        stopBuilding()
        await Promise.all([stopKeys(), leave()])
      },
    }
  }

  return async function start() {
    await store.ping()
    // Before the products: what has left them may have been revoked already.
    await Promise.all([longestLifetime.seconds(), follower.start()])
    const follows: Leave[] = []
    const leave = async () => void (await Promise.all(follows.map((end) => end())))
    try {
      follows.push(await followClients())
      follows.push(await catalogSync.start())
      return await load(leave)
    } catch (error) {
      await leave()
      throw error
    }
  }
}

/** The check of our own access tokens, for the endpoints that take them. */
function verifyWith(getKey: Running['getKey'], { issuer, audience }: ResolvedOptions) {
  const verify = createTokenVerifier({ issuer, audience, getKey })
  return async (jwt: string): Promise<Principal | undefined> => {
    const outcome = await verify(jwt)
    return isPrincipal(outcome) ? outcome : undefined
  }
}

function isPrincipal(
  outcome: Awaited<ReturnType<ReturnType<typeof createTokenVerifier>>>,
): outcome is Principal {
  return !('problem' in outcome)
}
