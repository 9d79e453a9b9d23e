import { catalogLookups } from '../catalog/live-catalog.ts'
import { createGatewayHooks } from '../gateway/gateway-hooks.ts'
import type { GatewayDependencies } from '../gateway/dependencies.ts'
import { createGatewayFrom } from '../gateway/gateway.ts'
import { createTokenVerifier } from '../gateway/verify-token.ts'
import { checkKeys } from '../health/key-check.ts'
import { checkProducts } from '../health/product-check.ts'
import { storeHealthReader } from '../health/store-health.ts'
import type { Shutdown } from '../host/shutdown.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import type { Start } from './startup.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'

/**
 * Wires the gateway that runs in the process of the service, and the health checks that the gateway and the service
 * share.
 */
export function createOwnGateway(
  core: Core,
  { indexCompletion, hygieneCheck }: Pick<Clients, 'indexCompletion' | 'hygieneCheck'>,
  keys: KeySource,
  { lifecycle, ...start }: Start,
  shutdown: Shutdown,
) {
  const { settings, store, catalog, events, revoked, logger } = core
  const { issuer, audience, startTimeoutMs, maxCachedTokens } = settings
  const readStoreHealth = storeHealthReader(store)
  const check = () => [
    checkKeys(keys.condition, Date.now()),
    checkProducts(catalog),
    ...indexCompletion.check(),
    ...hygieneCheck.check(),
  ]
  const accessTokens: Parameters<typeof createTokenVerifier>[0] = {
    issuer,
    audience,
    async getKey(header, token) {
      await lifecycle.ready(startTimeoutMs)
      return keys.getKey(header, token)
    },
  }
  const gatewayHooks = createGatewayHooks()
  const dependencies: GatewayDependencies = {
    ...accessTokens,
    ...catalogLookups(catalog),
    revocations: revoked,
    events,
    ready: async () => void (await start.ready()),
    begin: lifecycle.begin,
    startFailed: start.startFailed,
    close: async () => {},
    shutdown,
    readStoreHealth,
    check,
    startTimeoutMs,
    maxCachedTokens,
    logger,
  }
  const gateway = createGatewayFrom(dependencies, gatewayHooks)
  const checkAll = () => [...check(), ...gatewayHooks.checks.map((each) => each())]
  return {
    gateway,
    gatewayHooks,
    verifyToken: createTokenVerifier(accessTokens),
    readStoreHealth,
    check: checkAll,
  }
}
