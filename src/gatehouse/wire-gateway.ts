import { catalogLookups } from '../catalog/live-catalog.ts'
import type { Resource } from '../catalog/resources.ts'
import { GatehouseError } from '../errors.ts'
import { createGatewayHooks, type GatewayHooks } from '../gateway/gateway-hooks.ts'
import type { GatewayDependencies } from '../gateway/dependencies.ts'
import { createGatewayFrom, type Gateway } from '../gateway/gateway.ts'
import { partsOf } from '../gateway/registered-parts.ts'
import { createUncheckedCalls } from '../gateway/unchecked-calls.ts'
import { createVerifierOfResources } from '../gateway/verify-token.ts'
import { wellKnown } from '../gateway/well-known.ts'
import { checkKeys } from '../health/key-check.ts'
import { checkProducts } from '../health/product-check.ts'
import { storeHealthReader } from '../health/store-health.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { Shutdown } from '../host/shutdown.ts'
import type { Parts } from './parts.ts'
import type { Start } from './startup.ts'

/** The gateways in the process of the service, one for each resource, and the health checks that they share. */
export function createOwnGateways(parts: Parts, { lifecycle, ...start }: Start, shutdown: Shutdown) {
  const { settings, store, catalog, resources, events, revoked, logger, keys, proxyCheck } = parts
  const { issuer, startTimeoutMs, maxCachedTokens } = settings
  const readStoreHealth = storeHealthReader(store)
  const check = () => [
    checkKeys(keys.condition, Date.now()),
    checkProducts(catalog),
    ...parts.scopeLimitCheck.check(),
    ...unchecked.check(),
    ...parts.gatewayKeysCheck.check(),
    ...parts.issuerCheck.check(),
    ...proxyCheck.check(),
  ]
  const accessTokens: Pick<GatewayDependencies, 'issuer' | 'getKey'> = {
    issuer,
    async getKey(header, token) {
      await lifecycle.ready(startTimeoutMs)
      return keys.getKey(header, token)
    },
  }
  const gatewayHooks = createGatewayHooks()
  const dependenciesOf = (resource: Resource): GatewayDependencies => ({
    ...accessTokens,
    audience: resource.address,
    ...catalogLookups(resource.catalog, resource.metadataScopes),
    revocations: revoked,
    events,
    ready: async () => void (await start.ready()),
    begin: lifecycle.begin,
    startFailed: start.startFailed,
    close: async () => {},
    shutdown,
    readStoreHealth,
    check,
    proxyCheck,
    startTimeoutMs,
    maxCachedTokens,
    logger,
  })
  const gateways = new Map(
    resources.all.map((resource) => {
      const hooks = resource === resources.main ? gatewayHooks : sharedHooks(gatewayHooks)
      return [resource.address, createGatewayFrom(dependenciesOf(resource), hooks)]
    }),
  )
  const unchecked = createUncheckedCalls({
    gateways: settings.checkedElsewhere
      ? []
      : [...gateways.values()].flatMap((each) => watchedParts(each, settings)),
    logger,
  })
  const gateway = Object.assign(find(resources.main.address), { for: find })
  const checkAll = () => [...check(), ...gatewayHooks.checks.map((each) => each())]
  return {
    gateway,
    gateways: [...gateways.values()],
    metadata: wellKnown(resources.all.map(dependenciesOf)),
    gatewayHooks,
    // The clock of the store decides: other processes accept a token that only the clock of this process calls expired.
    verifyToken: createVerifierOfResources(resources, { ...accessTokens, now: parts.storeClock.now }),
    readStoreHealth,
    check: checkAll,
    passToHost: unchecked.pass,
  }

  function find(resource: string): Gateway {
    const found = gateways.get(resource)
    if (found) return found
    const message = `gateway.for() takes one of the resources: ${[...gateways.keys()].join(', ')}`
    throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
  }
}

/** A proxy may strip the issuer's prefix from these paths. An API at another origin gets its path when mounted. */
function watchedParts(
  gateway: Gateway,
  { issuer, mountPath }: Pick<ResolvedOptions, 'issuer' | 'mountPath'>,
) {
  const parts = partsOf(gateway)
  const { origin, pathname } = new URL(issuer)
  if (parts === undefined) return []
  if (new URL(parts.dependencies.audience).origin !== origin) return [parts]
  parts.watchPath(parts.base)
  const stripped = pathname.endsWith(mountPath) ? pathname.slice(0, pathname.length - mountPath.length) : ''
  if (parts.base.startsWith(`${stripped}/`)) parts.watchPath(parts.base.slice(stripped.length))
  return [parts]
}

/** The parts end with the first gateway, so this gateway ends none of them. */
function sharedHooks(hooks: GatewayHooks): GatewayHooks {
  return Object.create(hooks, { closing: { value: [] } }) as GatewayHooks
}
