import Keygrip from 'keygrip'
import compose from 'koa-compose'
import type { Middleware } from 'koa'
import type { ProductSource } from './catalog/definition.ts'
import { afterReady } from './after-ready.ts'
import { createCatalogAgreement } from './agreement/catalog-agreement.ts'
import { createLiveCatalog } from './catalog/live-catalog.ts'
import { catalogLookups } from './catalog/lookups.ts'
import { GatehouseError } from './errors.ts'
import { createGatewayFrom, type Gateway } from './gateway/gateway.ts'
import { createTokenVerifier } from './gateway/verify-token.ts'
import { createCheckedAccounts } from './host/checked-accounts.ts'
import { createEvents, type EventSource } from './host/events.ts'
import type { CheckedOptions, ProductOf, ScopeOf } from './infer.ts'
import { createPages } from './interaction/pages.ts'
import { createTexts } from './interaction/texts.ts'
import { registerInternals } from './internals.ts'
import { deriveKey } from './keys/derive-key.ts'
import { createHostKeys } from './keys/host-keys.ts'
import { createRotatingKeys } from './keys/rotating-keys.ts'
import { createKeySealing } from './keys/sealing.ts'
import type { KeySource, SigningKeys } from './keys/signing-keys.ts'
import { createLifecycle } from './lifecycle.ts'
import { authorizationService } from './mount/authorization-service.ts'
import { keySetMaxAge } from './mount/key-set.ts'
import { createPlainHttpWarning } from './mount/plain-http.ts'
import { wellKnown } from './mount/well-known.ts'
import type { GatehouseOptions } from './options.ts'
import type { BuiltProvider } from './provider/build-provider.ts'
import { createInteractionPort } from './provider/interaction-port.ts'
import { createRememberedConsents } from './provider/remembered-consents.ts'
import type { ApiKeys } from './registry/api-keys.ts'
import type { Applications } from './registry/applications.ts'
import { clientsAtHost, clientsInStore } from './registry/kept-clients.ts'
import { createUsage } from './registry/usage.ts'
import { resolveSettings } from './settings/resolve-settings.ts'
import { createStart } from './start.ts'
import { withDeadline } from './store/deadline.ts'
import { markUse } from './store/in-use.ts'
import { createAccountChanges, type AccountChanges } from './taking-back/accounts.ts'
import { createGrantService, type Grants } from './taking-back/grants.ts'
import { createTokens, type Tokens } from './taking-back/tokens.ts'
import { createTokensOfAccount } from './taking-back/tokens-of-account.ts'
import { createUnfinished } from './taking-back/unfinished.ts'
import { createGrantLives } from './tokens/grants/grant-lives.ts'
import { createRefreshFamilies } from './tokens/refresh-families.ts'
import { createRefreshRetries } from './tokens/refresh-retries.ts'
import { createRefreshTokenFormat } from './tokens/refresh-token.ts'
import { createKnownRevocations } from './tokens/revocations/known-revocations.ts'
import { createLongestLifetime } from './tokens/revocations/longest-lifetime.ts'
import { createRevocationLog } from './tokens/revocations/revocation-log.ts'
import { createRevocations } from './tokens/revocations/revocations.ts'

/** A token service and API gateway inside a Koa app. */
export interface Gatehouse<Scope extends string = string, Product extends string = string>
  extends EventSource, AsyncDisposable {
  /** Serves everything below {auth_url}, and the well-known documents. */
  middleware(): Middleware
  /**
   * Serves the well-known documents that belong at the root of a host (RFC 8414 3.1, RFC 9728 3.1), for apps
   * where `middleware()` is mounted below a path and never sees them.
   */
  wellKnown(): Middleware
  /** Guards the API. */
  readonly gateway: Gateway<Scope>
  /** Credentials for direct access. */
  readonly apiKeys: ApiKeys<Scope, Product>
  /** Credentials for delegated access. */
  readonly applications: Applications<Scope, Product>
  /** What accounts have authorized applications to do. */
  readonly grants: Grants
  /** Takes access tokens back before they expire. */
  readonly tokens: Tokens
  /** The keys that sign tokens; they change by themselves. */
  readonly signingKeys: SigningKeys
  /** To be told of changes of your accounts. */
  readonly accounts: AccountChanges
  /** The products and operations. */
  readonly catalog: {
    /**
     * Loads the products anew where they come from a function: here at once, and in every other process on
     * the store within a moment, or within a minute where its connection to the store is disturbed. Tokens that
     * carry an operation which has left a product are taken back.
     *
     * @throws {GatehouseError} `ERR_CATALOG` with all its problems if it is invalid: the last good one stays.
     *   `ERR_STORE_UNAVAILABLE`: what has left the products has ended here; what is new may not be there yet, and
     *   the others may not have been told. Done within a minute, or try again. And what `ready()` throws
     */
    reload(): Promise<void>
  }
  /**
   * Waits until store, catalog and keys are there, at most `timeoutMs` (10,000 if left out).
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE` (it goes on trying, and a later call or request may
   *   succeed), `ERR_NOT_READY` (it takes longer), `ERR_SECRET`, `ERR_CATALOG`, `ERR_CLOSED`
   */
  ready(options?: { timeoutMs?: number | undefined }): Promise<void>
  /** Stops. Idempotent; closes only what gatehouse opened itself, so neither the store nor its client. */
  close(): Promise<void>
}

/** Milliseconds that `ready()` waits unless told otherwise. */
const PATIENCE = 10_000

/**
 * Creates a token service and API gateway. Synchronous and without I/O: connecting happens with `ready()` or
 * the first request, so that a site can boot while its store does not.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` and `ERR_CATALOG`, each with all that is wrong at once
 */
export function createGatehouse<
  const Level extends string = never,
  const Products extends ProductSource = ProductSource,
>(options: CheckedOptions<Level, Products>): Gatehouse<ScopeOf<Products>, ProductOf<Products>> {
  return assemble(options)
}

function assemble(options: GatehouseOptions): Gatehouse {
  const settings = resolveSettings(options)
  const { logger } = settings
  if (settings.store.volatile) {
    logger.info({}, 'the store is in memory: it forgets everything when this process ends')
  }
  const store = markUse(withDeadline(options.store, settings.storeTimeoutMs), {
    except: ['signing-keys', 'catalog', 'revocations'],
  })
  const events = createEvents((error, event) =>
    logger.error({ err: error, event }, 'an event listener failed'),
  )
  const catalog = createLiveCatalog({
    products: settings.products,
    kycLevels: settings.kycLevels,
    reservedScopes: Object.keys(settings.claims),
    loadTimeoutMs: settings.productsTimeoutMs,
    onRefused: (error) => events.emit('catalog.refused', { error }),
  })
  const accounts = createCheckedAccounts(settings.accounts, settings)
  const usage = createUsage({ store, logger })
  const revocationLog = createRevocationLog(store)
  const revoked = createKnownRevocations({
    source: revocationLog,
    policy: settings.revocations,
    logger,
    events,
  })
  const longestLifetime = createLongestLifetime(
    store,
    Math.max(settings.lifetimes.directAccessToken, settings.lifetimes.delegatedAccessToken),
  )
  const revocations = createRevocations({
    store,
    log: revocationLog,
    set: revoked,
    longestLifetime,
    events,
    logger,
  })
  const catalogAgreement = createCatalogAgreement({
    store,
    catalog,
    products: settings.products,
    revocations: { revoke: revocations.revoke, isRevoked: revoked.isRevoked },
    onRevoked: revoked.onAdded,
    longestLifetime,
    logger,
    onChanged: ({ products, operations }) =>
      events.emit('catalog.reloaded', { products: products.size, operations: operations.size }),
  })
  const { registry, clientTokens, ...services } = createClients()
  const refreshTokenFormat = createRefreshTokenFormat(
    settings.secrets.map((secret) => deriveKey(secret, 'refresh-tokens')),
  )
  const families = createRefreshFamilies(store, refreshTokenFormat, {
    restartable: settings.lifetimes.authorizationCode + 60,
    retries: createRetries(),
  })
  const grantLives = createGrantLives(store, settings.lifetimes)
  const consents = createRememberedConsents(store, settings.lifetimes.rememberedConsent, grantLives.epochs)
  const { grants, finishGrant } = createGrantService({
    lives: grantLives,
    families,
    consents,
    revocations,
    events,
    logger,
    audience: settings.audience,
  })
  const tokensOfAccount = createTokensOfAccount(clientTokens, grants)
  const unfinished = createUnfinished({ revocations, clientTokens, finishGrant, logger })
  const pages = createPages({ texts: createTexts(settings), branding: settings.branding })
  const keys = createKeys()
  const start = createStart({
    settings,
    store,
    keys,
    catalog,
    registry,
    accounts,
    families,
    grantLives,
    consents,
    refreshTokenFormat,
    cookieKeys: new Keygrip(
      settings.secrets.map((secret) => deriveKey(secret, 'cookies').toString('base64url')),
      'sha256',
    ),
    clientUsed: (client) => usage.touch(client.clientId),
    pages,
    events,
    logger,
    catalogAgreement,
    follower: revoked,
    longestLifetime,
    unfinished,
    revocations,
    isRevoked: revoked.isRevoked,
  })
  const lifecycle = createLifecycle(start, ({ leave }) => leave())
  const ready = () => lifecycle.ready(PATIENCE)

  const accessTokens: Parameters<typeof createTokenVerifier>[0] = {
    issuer: settings.issuer,
    audience: settings.audience,
    getKey: async (header, token) => (await lifecycle.ready(settings.startTimeoutMs)).getKey(header, token),
  }
  const gateway = createGatewayFrom({
    ...accessTokens,
    ...catalogLookups(catalog),
    revocations: revoked,
    events,
    ready: async () => void (await ready()),
    close: async () => {},
    startTimeoutMs: settings.startTimeoutMs,
    tokenCacheBytes: settings.tokenCacheBytes,
    logger,
  })

  const parts = {
    settings,
    catalog,
    registry,
    accounts,
    events,
    pages,
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    revocationSource: revocationLog,
    warnOnPlainHttp: createPlainHttpWarning(settings),
    keySetMaxAge: keySetMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    async ready() {
      const running = await lifecycle.ready(settings.startTimeoutMs)
      await keys.keepUp()
      return running
    },
  }
  const service = { ...parts, port: createInteractionPort(requireBuilt, parts) }
  const verify = createTokenVerifier(accessTokens)
  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    apiKeys: afterReady(services.apiKeys, ready),
    applications: afterReady(services.applications, ready),
    grants: afterReady(grants, ready),
    tokens: afterReady(createTokens({ verify, revocations, clientTokens, tokensOfAccount }), ready),
    accounts: afterReady(createAccountChanges({ accounts, catalog, clientTokens, tokensOfAccount }), ready),
    signingKeys: afterReady({ list: keys.list, rotate: keys.rotate, revoke: keys.revoke }, ready),
    gateway,
    middleware: () => compose([wellKnown(service, gateway), authorizationService(service)]) as Middleware,
    wellKnown: () => wellKnown(service, gateway),
    catalog: {
      async reload() {
        await ready()
        await catalogAgreement.reload()
      },
    },
    async ready({ timeoutMs = PATIENCE } = {}) {
      await lifecycle.ready(timeoutMs)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(gatehouse, { settings, store, catalog, signingKey })
  return gatehouse

  function createClients() {
    const parts = { store, events, revocations }
    if (settings.registry) return clientsAtHost(settings.registry, parts)
    const { maxScopeBytes, openIdScopes } = settings
    return clientsInStore({ ...parts, catalog, usage, logger, maxScopeBytes, oidcScopes: openIdScopes })
  }

  function createKeys(): KeySource {
    const { signingKeys, lifetimes, secrets } = settings
    const revokeKey = (id: string, until: number, actor?: string) =>
      revocations.revokeAs(actor, { of: 'key', id, until })
    const anyToken = { tokenId: '', clientId: '', scopes: [], claims: {} }
    const isKeyRevoked = (keyId: string) => revoked.isRevoked({ ...anyToken, keyId })
    if ('jwks' in signingKeys) {
      return createHostKeys({
        keys: signingKeys.jwks.keys,
        revokeKey,
        isKeyRevoked,
        onRevoked: revoked.onAdded,
        events,
      })
    }
    return createRotatingKeys({
      store,
      sealing: createKeySealing(secrets),
      schedule: signingKeys,
      longestLifetimes: {
        ES256: longestLifetime,
        // ID tokens are shown again at sign-out, until the session has ended, although they have expired.
        RS256: createLongestLifetime(
          store,
          Math.max(lifetimes.idToken, lifetimes.session),
          'longest-id-token',
        ),
      },
      revokeKey,
      isKeyRevoked,
      events,
      logger,
    })
  }

  function createRetries() {
    if (settings.refreshRetrySeconds === 0) return undefined
    return createRefreshRetries({
      seconds: settings.refreshRetrySeconds,
      keys: settings.secrets.map((secret) => deriveKey(secret, 'refresh-retries')),
    })
  }

  function requireBuilt(): BuiltProvider {
    if (lifecycle.running) return lifecycle.running.built
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  async function signingKey() {
    const { keyRing } = await ready()
    const key = keyRing.signing.find(({ alg }) => alg === 'ES256')
    if (!key) throw new GatehouseError('ERR_NOT_READY', 'there is no key for access tokens')
    return key
  }

  async function close(): Promise<void> {
    const stopped = lifecycle.close()
    families.close()
    await Promise.all([stopped, revoked.close(), gateway.close()])
  }
}
