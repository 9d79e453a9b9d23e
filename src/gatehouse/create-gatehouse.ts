import compose from 'koa-compose'
import type { Middleware } from 'koa'
import { waitUntilReady } from './wait-until-ready.ts'
import { catalogLookups } from '../catalog/lookups.ts'
import { GatehouseError } from '../errors.ts'
import { createShutdown } from '../host/shutdown.ts'
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
import { createInternals } from './create-internals.ts'
import {
  authorizationServer,
  type AuthorizationServerParts,
} from '../authorization-server/routing/authorization-server.ts'
import { jwksMaxAge } from '../authorization-server/provider/endpoints/jwks.ts'
import { createInsecureProxyWarning } from '../authorization-server/routing/insecure-proxy-warning.ts'
import { passOthers } from '../http/request-path.ts'
import { createRequestsInFlight } from '../authorization-server/routing/requests-in-flight.ts'
import { wellKnown } from '../authorization-server/routing/well-known.ts'
import type { CheckedOptions, ProductOf, ScopeOf } from '../options/infer-scopes.ts'
import type { ProductSource } from '../catalog/definition.ts'
import type { GatehouseOptions } from '../options/options.ts'
import type { Provider } from '../authorization-server/provider/build-provider.ts'
import { createInteractionPort } from '../authorization-server/provider/endpoints/authorize/interaction-port.ts'
import { checkInput } from '../validation/check-input.ts'
import { optional, type Rule } from '../validation/rules.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { start } from './startup.ts'
import { createAccountService } from '../access/account-changes.ts'
import { createTokens } from '../access/token-service.ts'
import { createRevokeAccount } from '../access/revoke-account.ts'
import { createResumeRevocations } from '../access/resume-revocations.ts'
import { createAuthorizations } from './wire-grants.ts'
import { createCore } from './wire-core.ts'
import { createProviderBuilder } from './wire-provider.ts'
import { createClients } from './wire-clients.ts'
import { createKeySource } from './wire-signing-keys.ts'

/** Default timeout of `ready()`, in milliseconds. */
const READY_TIMEOUT_MS = 10_000

const timeoutRule: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds, from 0'

/**
 * Whether this process may sign tokens: its knowledge of the keys is fresh, and the active key is not
 * revoked.
 */
function canSign({ stale, isSigningRevoked }: KeyCondition): boolean {
  return !stale && !isSigningRevoked
}

/**
 * Creates a token service and API gateway, synchronously and without I/O. The service starts in the
 * background when it is mounted (`middleware()`, `wellKnown()`, `gateway.middleware()`,
 * `gateway.requireScope()`, `createConsole()`, `createManagementApi()`), or when a method such as `ready()` first needs
 * it. So a site can start while its store is unavailable. Each cause of a failed start is logged once.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` or `ERR_CATALOG`, with all problems at once
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
  const { startTimeoutMs } = settings
  const core = createCore(settings)
  const { store, events, accounts, catalog, revoked, revocations, logger } = core
  if (store.volatile) logger.info({}, 'the store is in memory: its data is lost when this process ends')

  const clients = createClients(core)
  const authorizations = createAuthorizations(core)
  const keys = createKeySource(core)
  const { registry, clientTokens } = clients
  const { grants, grantsOfUsers, resumeGrant, resumeAccount } = authorizations
  const revokeAccount = createRevokeAccount(clientTokens, grants)
  const { branding, connectedApplicationsUri } = settings
  const pages = createPages({ texts: createTexts(settings), branding, connectedApplicationsUri })

  const buildProvider = createProviderBuilder(core, clients, authorizations, { keys, pages })
  const resumeRevocations = createResumeRevocations({
    revocations,
    clientTokens,
    resumeGrant,
    resumeAccount,
    logger,
  })
  const startFailed = createStartFailures(
    logger,
    'gatehouse has not started: requests fail until it has started',
  )
  const lifecycle = createLifecycle(
    () => start(core, clients, keys, buildProvider, resumeRevocations),
    async ({ stop }) => stop(),
    startFailed,
  )
  const ready = () => lifecycle.ready(READY_TIMEOUT_MS)
  const shutdown = createShutdown(close, logger)

  const readStoreHealth = storeHealthReader(store)
  const check = () => [checkKeys(keys.condition, Date.now()), checkProducts(catalog)]
  const accessTokens: Parameters<typeof createTokenVerifier>[0] = {
    issuer: settings.issuer,
    audience: settings.audience,
    async getKey(header, token) {
      await lifecycle.ready(startTimeoutMs)
      return keys.getKey(header, token)
    },
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
    shutdown,
    readStoreHealth,
    check,
    startTimeoutMs,
    maxCachedTokens: settings.maxCachedTokens,
    logger,
  })

  const server: AuthorizationServerParts = {
    settings,
    catalog,
    registry,
    clientUsed: clients.clientUsed,
    accounts,
    audit: core.audit,
    events,
    pages,
    port: createInteractionPort({
      settings,
      catalog,
      registry,
      accounts,
      events,
      audit: core.audit,
      consents: authorizations.consents,
      provider: requireProvider,
    }),
    csrfKeys: settings.secrets.map((secret) => deriveKey(secret, 'csrf')),
    revocationSource: core.revocationLog,
    warnOnInsecureProxy: createInsecureProxyWarning(settings),
    requestsInFlight: createRequestsInFlight({ max: settings.maxTokenRequests, logger: settings.logger }),
    jwksMaxAge: jwksMaxAge(
      'jwks' in settings.signingKeys ? Infinity : settings.signingKeys.publishAheadSeconds,
    ),
    ready: readyForRequest,
  }
  const verifyToken = createTokenVerifier(accessTokens)
  const tokens = createTokens({
    verify: verifyToken,
    revocations,
    clientTokens,
    revokeAccount,
  })
  const accountService = createAccountService({
    accounts,
    catalog,
    revokeAccount,
    grantsOfUsers,
    revokeLostOperations: authorizations.revokeLostOperations,
  })
  const signingKeys = { list: keys.list, rotate: keys.rotate, revoke: keys.revoke }
  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    apiKeys: waitUntilReady(clients.apiKeys, ready),
    applications: waitUntilReady(clients.applications, ready),
    grants: waitUntilReady(grants, ready),
    tokens: waitUntilReady(tokens, ready),
    accounts: waitUntilReady(accountService, ready),
    signingKeys: waitUntilReady(signingKeys, ready),
    catalog: waitUntilReady({ reload: core.catalogSync.reload }, ready),
    audit: {
      async list(options) {
        await ready()
        return core.audit.list(options)
      },
      async *read(options) {
        await ready()
        yield* core.audit.read(options)
      },
    },
    gateway,
    middleware() {
      lifecycle.begin()
      const all = compose([wellKnown(server, gateway), authorizationServer(server)]) as Middleware
      return passOthers(settings.mountPath, all)
    },
    wellKnown() {
      lifecycle.begin()
      return wellKnown(server, gateway)
    },
    health: () =>
      readHealth({
        start: lifecycle,
        shutdown,
        becomesUsable: () => settlesWithin(readyForRequest, startTimeoutMs),
        readStoreHealth,
        check,
        revocations: revoked,
        isReady: ({ isUsable, isStoreUsable }) => isUsable && isStoreUsable && canSign(keys.condition),
      }),
    async ready(options = {}) {
      checkInput('gatehouse.ready()', options, { timeoutMs: optional(timeoutRule) })
      await lifecycle.ready(options.timeoutMs ?? READY_TIMEOUT_MS)
    },
    shutdown: shutdown.run,
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(
    gatehouse,
    createInternals(core, clients, authorizations, {
      tokens,
      health: gatehouse.health,
      keys,
      pages,
      verifyToken,
      signingKey,
      begin: lifecycle.begin,
      ready: () => lifecycle.ready(startTimeoutMs),
      requireOpen: lifecycle.requireOpen,
    }),
  )
  return gatehouse

  /**
   * Waits at most `startTimeoutMs` for the start, as each request does. Then makes sure that the keys are
   * fresh.
   */
  async function readyForRequest() {
    const running = await lifecycle.ready(startTimeoutMs)
    await keys.ensureFresh()
    return { provider: running.provider, keyRing: keys.ring }
  }

  function requireProvider(): Provider {
    if (lifecycle.running) return lifecycle.running.provider
    throw new GatehouseError('ERR_NOT_READY', 'gatehouse is not running')
  }

  async function signingKey() {
    await ready()
    const key = keys.ring.signing.find(({ alg }) => alg === 'ES256')
    if (!key) throw new GatehouseError('ERR_NOT_READY', 'there is no key for access tokens')
    return key
  }

  async function close(): Promise<void> {
    const stopped = lifecycle.close()
    authorizations.families.close()
    core.stopProbing()
    await Promise.all([stopped, revoked.close(), gateway.close()])
  }
}
