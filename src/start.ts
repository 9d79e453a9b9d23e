import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { Principal } from './gateway/principal.ts'
import { createTokenVerifier } from './gateway/verify-token.ts'
import { loadKeyRing, type KeyRing } from './keys/key-ring.ts'
import { createKeySealing } from './keys/sealing.ts'
import type { Settings } from './options.ts'
import { buildProvider, type BuiltProvider } from './provider/build-provider.ts'
import type { ProviderDependencies, VerifiedAccessToken } from './provider/dependencies.ts'
import type { Store } from './store/contract.ts'

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
  /** What this process calls itself to the others. */
  readonly self: string
}

/**
 * Goes from nothing to running: store, products, keys, authorization server. Called again from the beginning
 * if the store is away.
 */
export function createStart(parts: StartParts): () => Promise<Running> {
  const { settings, store, catalog, self } = parts

  async function load(leave: () => Promise<void>): Promise<Running> {
    await catalog.start()
    const keyRing = await loadKeyRing(store, createKeySealing(settings.secrets), settings.logger)
    const getKey = createLocalJWKSet(keyRing.published as JSONWebKeySet)
    const built = buildProvider({
      ...parts,
      signingKeys: keyRing.signing,
      verifyAccessToken: verifyWith(getKey, settings),
    })
    return { keyRing, getKey, built, leave }
  }

  return async function start() {
    await store.ping()
    // Before the products are loaded, so that no change in between is missed.
    const leave = await followCatalog(store, catalog, self, settings)
    try {
      return await load(leave)
    } catch (error) {
      await leave()
      throw error
    }
  }
}

/** The check of our own access tokens, for the user info endpoint. */
function verifyWith(getKey: Running['getKey'], { issuer, audience }: Settings) {
  const verify = createTokenVerifier({ issuer, audience, getKey })
  return async (jwt: string): Promise<VerifiedAccessToken | undefined> => {
    const outcome = await verify(jwt)
    return isPrincipal(outcome) ? outcome : undefined
  }
}

function isPrincipal(
  outcome: Awaited<ReturnType<ReturnType<typeof createTokenVerifier>>>,
): outcome is Principal {
  return !('problem' in outcome)
}

const CATALOG_CHANNEL = 'catalog'

/** Tells the other processes to load the products anew. */
export function announceCatalog(store: Store, self: string): Promise<void> {
  return store.publish(CATALOG_CHANNEL, self)
}

/** Loads the products anew whenever another process has. */
async function followCatalog(
  store: Store,
  catalog: LiveCatalog,
  self: string,
  { products, logger }: Settings,
) {
  if (typeof products !== 'function') return async () => {}
  return store.subscribe(CATALOG_CHANNEL, (sender) => {
    if (sender === self) return
    // What is wrong with it has been reported as an event by then.
    catalog.reload().catch((error: unknown) => logger.warn({ err: error }, 'the new products were refused'))
  })
}
