import Keygrip from 'keygrip'
import compose from 'koa-compose'
import type { Middleware } from 'koa'
import { waitUntilReady } from './wait-until-ready.ts'
import { catalogLookups } from '../catalog/lookups.ts'
import { GatehouseError } from '../errors.ts'
import { createStartFailures } from '../host/start-failures.ts'
import type { Gatehouse } from './gatehouse.ts'
import { createGatewayFrom } from '../gateway/gateway.ts'
import { createTokenVerifier } from '../gateway/verify-token.ts'
import { createPages } from '../authorization-server/interaction/pages.ts'
import { createTexts } from '../authorization-server/interaction/texts.ts'
import { registerInternals } from './internals.ts'
import { checkKeys } from '../health/key-check.ts'
import { checkProducts } from '../health/product-check.ts'
import { settlesWithin } from '../async/settles-within.ts'
import { storeHealthReader } from '../health/store-health.ts'
import { readHealth } from '../health/read-health.ts'
import { deriveKey } from '../keys/derive-key.ts'
import type { KeyCondition } from '../keys/signing-keys.ts'
import { createLifecycle } from './lifecycle.ts'
import { authorizationServer } from '../authorization-server/routing/authorization-server.ts'
import { jwksMaxAge } from '../authorization-server/provider/endpoints/jwks.ts'
import { createInsecureProxyWarning } from '../authorization-server/routing/insecure-proxy-warning.ts'
import { wellKnown } from '../authorization-server/routing/well-known.ts'
import type { CheckedOptions, ProductOf, ScopeOf } from '../options/infer-scopes.ts'
import type { ProductSource } from '../catalog/definition.ts'
import type { GatehouseOptions } from '../options/options.ts'
import type { Provider } from '../authorization-server/provider/build-provider.ts'
import { createInteractionAdmission } from '../authorization-server/provider/endpoints/authorize/interaction-admission.ts'
import { createInteractionPort } from '../authorization-server/provider/endpoints/authorize/interaction-port.ts'
import { checkInput } from '../validation/check-input.ts'
import { optional, type Rule } from '../validation/rules.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { createMemoryWatch } from '../store/memory-watch.ts'
import { createStart } from './startup.ts'
import { createAccountService } from '../access/account-service.ts'
import { createTokens } from '../access/token-service.ts'
import { createRevokeAccount } from '../access/revoke-account.ts'
import { createResumeRevocations } from '../access/resume-revocations.ts'
import { createAuthorizations } from './wire-grants.ts'
import { createBase } from './wire-core.ts'
import { createClients } from './wire-clients.ts'
import { createKeySource } from './wire-signing-keys.ts'
import { wireBackup } from './wire-backup.ts'

/** Milliseconds that `ready()` waits unless told otherwise. */
const PATIENCE = 10_000

const timeoutRule: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds, from 0'

/** Whether what is signed now is good. */
function canSign({ stale, isSigningRevoked }: KeyCondition): boolean {
  return !stale && !isSigningRevoked
}

/**
 * Creates a token service and API gateway. Synchronous and without I/O: it starts in the background once it is mounted
 * (`middleware()`, `wellKnown()`, `gateway.middleware()`, `gateway.requireScope()`), or with `ready()`, so that a site
 * can boot while its store does not. Why it could not start is logged, each cause once.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` and `ERR_CATALOG`, each with all that is wrong at once
 */
export function createGatehouse<
  const Level extends string = never,
  const Products extends ProductSource = ProductSource,
>(options: CheckedOptions<Level, Products>): Gatehouse<ScopeOf<Products>, ProductOf<Products>> {
  return assemble(options)
}

/** Wires all parts of a gatehouse together. */
function assemble(options: GatehouseOptions): Gatehouse {
  const settings = resolveOptions(options)
  const { logger } = settings
  if (settings.store.volatile) {
    logger.info({}, 'the store is in memory: it forgets everything when this process ends')
  }
  const keysFor = (purpose: 'cookies' | 'csrf') =>
    settings.secrets.map((secret) => deriveKey(secret, purpose))

  const base = createBase(settings)
  const { store, events, accounts, catalog, catalogSync, revoked, revocations } = base
  const { registry, clientTokens, lastUses, apiKeys, applications, follow } = createClients(base)
  const { grants, grantsOfUsers, resumeGrant, resumeAccount, ...authorizations } = createAuthorizations(base)
  const keys = createKeySource(base)
  const revokeAccount = createRevokeAccount(clientTokens, grants)
  const pages = createPages({ texts: createTexts(settings), branding: settings.branding })

  const interactionAdmission = createInteractionAdmission({
    max: settings.maxPendingInteractions,
    seconds: settings.lifetimes.signIn,
    memory: createMemoryWatch({ store, logger }),
    logger,
  })
  const start = createStart({
    ...base,
    ...authorizations,
    keys,
    registry,
    cookieKeys: new Keygrip(
      keysFor('cookies').map((key) => key.toString('base64url')),
      'sha256',
    ),
    followClients: follow,
    clientUsed: (client) => lastUses.record(client.clientId),
    interactionAdmission,
    pages,
    follower: revoked,
    resumeRevocations: createResumeRevocations({
      revocations,
      clientTokens,
      resumeGrant,
      resumeAccount,
      logger,
    }),
    isTokenRevoked: revoked.isTokenRevoked,
  })
  const startFailed = createStartFailures(logger, 'gatehouse has not started: requests fail until it has')
  const lifecycle = createLifecycle(start, ({ leave }) => leave(), startFailed)
  const ready = () => lifecycle.ready(PATIENCE)

  const readStoreHealth = storeHealthReader(store, settings.refreshTokenGraceSeconds || undefined)
  const check = () => [checkKeys(keys.condition, Date.now()), checkProducts(catalog)]
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
    begin: lifecycle.begin,
    startFailed,
    close: async () => {},
    readStoreHealth,
    check,
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
    csrfKeys: keysFor('csrf'),
    revocationSource: base.revocationLog,
    warnOnInsecureProxy: createInsecureProxyWarning(settings),
    jwksMaxAge: jwksMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    async ready() {
      const running = await lifecycle.ready(settings.startTimeoutMs)
      await keys.ensureFresh()
      return running
    },
  }
  const service = {
    ...parts,
    port: createInteractionPort({ ...parts, consents: authorizations.consents, provider: requireProvider }),
  }
  const verify = createTokenVerifier(accessTokens)
  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    apiKeys: waitUntilReady(apiKeys, ready),
    applications: waitUntilReady(applications, ready),
    grants: waitUntilReady(grants, ready),
    tokens: waitUntilReady(createTokens({ verify, revocations, clientTokens, revokeAccount }), ready),
    accounts: waitUntilReady(
      createAccountService({ accounts, catalog, clientTokens, revokeAccount, grantsOfUsers }),
      ready,
    ),
    signingKeys: waitUntilReady({ list: keys.list, rotate: keys.rotate, revoke: keys.revoke }, ready),
    gateway,
    middleware() {
      lifecycle.begin()
      return compose([wellKnown(service, gateway), authorizationServer(service)]) as Middleware
    },
    wellKnown() {
      lifecycle.begin()
      return wellKnown(service, gateway)
    },
    catalog: {
      async reload() {
        await ready()
        await catalogSync.reload()
      },
    },
    health: () =>
      readHealth({
        start: lifecycle,
        becomesUsable: () => settlesWithin(parts.ready, settings.startTimeoutMs),
        readStoreHealth,
        check,
        revocations: revoked,
        isReady: ({ isUsable, isStoreUsable }) => isUsable && isStoreUsable && canSign(keys.condition),
      }),
    ...wireBackup({
      base,
      keys,
      clientTokens,
      grantLifecycle: authorizations.grantLifecycle,
      ready,
      requireOpen: lifecycle.requireOpen,
    }),
    async ready(options = {}) {
      checkInput('gatehouse.ready()', options, { timeoutMs: optional(timeoutRule) })
      await lifecycle.ready(options.timeoutMs ?? PATIENCE)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(gatehouse, { settings, catalog, signingKey })
  return gatehouse

  function requireProvider(): Provider {
    if (lifecycle.running) return lifecycle.running.provider
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
    authorizations.families.close()
    base.stopProbing()
    await Promise.all([stopped, revoked.close(), gateway.close()])
  }
}
