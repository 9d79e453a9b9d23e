import type { JWTVerifyGetKey } from 'jose'
import type { Provider } from '../authorization-server/provider/build-provider.ts'
import type { CatalogSync } from '../catalog/sync/catalog-sync.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { RevocationFollower } from '../revocation/revocation-follower.ts'
import type { ResumeRevocations } from '../access/resume-revocations.ts'
import type { LongestLifetime } from '../revocation/longest-token-lifetime.ts'
import type { Store } from '../store/contract.ts'
import type { Clients } from './wire-clients.ts'
import type { BuildProvider } from './wire-provider.ts'

/** A running gatehouse. `provider` is replaced when the signing keys change. */
export interface Running {
  readonly keyRing: KeyRing
  readonly getKey: JWTVerifyGetKey
  readonly provider: Provider
  /** Ends all subscriptions and periodic work. */
  readonly stop: Stop
}

type Stop = () => void | Promise<void>

/** What a start needs. */
export interface StartParts {
  readonly store: Pick<Store, 'ping'>
  readonly longestLifetime: LongestLifetime
  readonly revocationFollower: Pick<RevocationFollower, 'start'>
  readonly clients: Pick<Clients, 'follow'>
  readonly catalogSync: Pick<CatalogSync, 'start'>
  readonly keys: KeySource
  readonly buildProvider: BuildProvider
  readonly resumeRevocations: ResumeRevocations
}

/**
 * Loads products and keys, builds the authorization server, and subscribes to changes. After a failure it can be called
 * again.
 */
export async function start(parts: StartParts): Promise<Running> {
  const { keys, buildProvider } = parts
  await parts.store.ping()
  // Before the products, because operations that left them may have been revoked already.
  await Promise.all([parts.longestLifetime.seconds(), parts.revocationFollower.start()])
  const stops: Stop[] = []
  const stop = async () => void (await Promise.all(stops.map(async (end) => end())))
  try {
    stops.push(await parts.clients.follow())
    stops.push(await parts.catalogSync.start())
    stops.push(await keys.follow())
    let provider = buildProvider(keys.ring.signing)
    // Pending requests continue with the previous instance. The state of both is in the store.
    stops.push(keys.onChanged(() => (provider = buildProvider(keys.ring.signing))))
    stops.push(parts.resumeRevocations.start())
    return {
      get keyRing() {
        return keys.ring
      },
      getKey: keys.getKey,
      get provider() {
        return provider
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
