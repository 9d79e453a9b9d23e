import cluster from 'node:cluster'
import compose from 'koa-compose'
import type { Middleware } from 'koa'
import { createAccountService } from '../access/account-changes.ts'
import { createRevokeAccount } from '../access/revoke-account.ts'
import { createTokens } from '../access/token-service.ts'
import { settlesWithin } from '../async/with-timeout.ts'
import type { AuditTrail } from '../audit/read-trail.ts'
import { createPages } from '../authorization-server/interaction/pages.ts'
import { createTexts } from '../authorization-server/interaction/texts.ts'
import { authorizationServer, wellKnown } from '../authorization-server/routing/authorization-server.ts'
import type { ProductSource } from '../catalog/definition.ts'
import { GatehouseError } from '../errors.ts'
import type { VerifyToken } from '../gateway/verify-token.ts'
import { readHealth } from '../health/read-health.ts'
import { createShutdown } from '../host/shutdown.ts'
import { passOthers } from '../http/request-path.ts'
import type { CheckedOptions, ProductOf, ScopeOf } from '../options/infer-scopes.ts'
import type { GatehouseOptions } from '../options/options.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { checkInput, optional, type Rule } from '../validation/rules.ts'
import type { Gatehouse } from './gatehouse.ts'
import { registerInternals } from './internals.ts'
import { createParts, type Parts } from './parts.ts'
import { createStart, READY_TIMEOUT_MS } from './startup.ts'
import { createProviderBuilder, createServerParts } from './wire-authorization-server.ts'
import { createOwnGateways } from './wire-gateway.ts'

const timeoutRule: Rule = (value) =>
  typeof value === 'number' && value >= 0 ? undefined : 'must be a number of milliseconds, from 0'

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

function assemble(options: GatehouseOptions): Gatehouse {
  const settings = resolveOptions(options)
  const { startTimeoutMs, branding, connectedApplicationsUri } = settings
  const parts = createParts(settings)
  const { events, revoked, logger, keys } = parts
  if (parts.store.volatile && cluster.isWorker)
    logger.warn({}, 'the store is in the memory of this worker: other workers of the cluster have other data')
  else if (parts.store.volatile)
    logger.info({}, 'the store is in memory: its data is lost when this process ends')

  const pages = createPages({ texts: createTexts(settings), branding, connectedApplicationsUri })
  const start = createStart(parts, createProviderBuilder(parts, pages))
  const { lifecycle, ready } = start
  const shutdown = createShutdown(close, logger)
  const own = createOwnGateways(parts, start, shutdown)
  const { gateway, gateways, gatewayHooks, metadata, verifyToken, readStoreHealth, check, passToHost } = own
  const server = createServerParts(parts, pages, {
    provider: () => lifecycle.running?.provider,
    ready: readyForRequest,
  })
  const services = createServices(parts, verifyToken, ready)

  const gatehouse: Gatehouse = {
    on: events.on,
    off: events.off,
    ...services,
    gateway,
    middleware() {
      lifecycle.begin()
      const all = compose([wellKnown(server), metadata, authorizationServer(server), passToHost])
      return passOthers(settings.mountPath, all as Middleware, passToHost)
    },
    wellKnown() {
      lifecycle.begin()
      return compose([wellKnown(server), metadata, passToHost]) as Middleware
    },
    health: () =>
      readHealth({
        start: lifecycle,
        shutdown,
        becomesUsable: () => settlesWithin(readyForRequest, startTimeoutMs),
        readStoreHealth,
        check,
        revocations: revoked,
        isReady({ isUsable, isStoreUsable }) {
          const { stale, isSigningRevoked } = keys.condition
          return isUsable && isStoreUsable && !stale && !isSigningRevoked
        },
      }),
    async ready(options = {}) {
      checkInput('gatehouse.ready()', options, { timeoutMs: optional(timeoutRule) })
      await lifecycle.ready(options.timeoutMs ?? READY_TIMEOUT_MS)
    },
    shutdown: shutdown.run,
    close,
    [Symbol.asyncDispose]: close,
  }
  registerInternals(gatehouse, parts, {
    tokens: services.tokens,
    health: gatehouse.health,
    pages,
    csrfKeys: server.csrfKeys,
    verifyToken,
    gatewayHooks,
    signingKey,
    begin: lifecycle.begin,
    ready: () => lifecycle.ready(startTimeoutMs),
    requireOpen: lifecycle.requireOpen,
  })
  return gatehouse

  /** Waits for the start as each request does, then makes sure that the keys are fresh: else 503, and not `ready`. */
  async function readyForRequest() {
    // Usually neither waits: each promise costs a request time.
    const running = lifecycle.running ?? (await lifecycle.ready(startTimeoutMs))
    const polled = keys.ensureFresh()
    if (polled) await polled
    const { provider, answers, features } = running
    return { provider, answers, features, keyRing: keys.ring }
  }

  async function signingKey() {
    await ready()
    const key = keys.ring.signing.find(({ alg }) => alg === 'ES256')
    if (!key) throw new GatehouseError('ERR_NOT_READY', 'there is no key for access tokens')
    return key
  }

  async function close(): Promise<void> {
    const stopped = lifecycle.close()
    parts.families.close()
    parts.stopProbing()
    await Promise.all([stopped, revoked.close(), ...gateways.map((each) => each.close())])
  }
}

/** Each call waits until gatehouse runs, so a host may create its first API key right after `createGatehouse`. */
function createServices(parts: Parts, verify: VerifyToken, ready: () => Promise<unknown>) {
  const { apiKeys, applications, secrets, hygiene, clientDocuments, clientTokens, grants, audit } = parts
  const revokeAccount = createRevokeAccount(clientTokens, grants)
  const services = {
    apiKeys,
    applications,
    secrets: { find: secrets.find, reportLeaked: secrets.reportLeaked },
    hygiene: { list: hygiene.list, unusedProducts: hygiene.unusedProducts },
    clientDocuments,
    grants,
    tokens: createTokens({ ...parts, verify, revokeAccount }),
    accounts: {
      ...createAccountService({ ...parts, revokeAccount }),
      erase: parts.erase,
    },
    signingKeys: parts.signingKeys,
    catalog: {
      async reload() {
        await parts.catalogSync.reload()
        return { clientsOverScopeLimit: await parts.scopeLimitCheck.findOversized() }
      },
    },
  }
  const waiting = Object.entries(services).map(([name, service]) => [name, waitUntilReady(service, ready)])
  return {
    ...(Object.fromEntries(waiting) as typeof services),
    audit: {
      ...waitUntilReady({ list: audit.list }, ready),
      async *read(options) {
        await ready()
        yield* audit.read(options)
      },
    } satisfies AuditTrail,
  }
}

function waitUntilReady<Service extends object>(service: Service, ready: () => Promise<unknown>): Service {
  const methods = Object.entries(service) as [string, (...args: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await ready()
        return method.apply(service, args)
      },
    ]),
  ) as Service
}
