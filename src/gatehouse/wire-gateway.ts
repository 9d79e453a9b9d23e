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
import type { KeySource } from '../keys/signing-keys.ts'
import type { Start } from './startup.ts'
import type { Clients } from './wire-clients.ts'
import type { Core } from './wire-core.ts'

/**
 * Wires the gateways that run in the process of the service, one for each resource, and the health checks that
 * the gateways and the service share.
 */
export function createOwnGateways(
  core: Core,
  { indexCompletion, hygieneCheck, gatewayKeysCheck }: Clients,
  keys: KeySource,
  { lifecycle, ...start }: Start,
  shutdown: Shutdown,
) {
  const { settings, store, catalog, resources, events, revoked, logger } = core
  const { issuer, startTimeoutMs, maxCachedTokens } = settings
  const readStoreHealth = storeHealthReader(store)
  const check = () => [
    checkKeys(keys.condition, Date.now()),
    checkProducts(catalog),
    ...indexCompletion.check(),
    ...hygieneCheck.check(),
    ...hygieneCheck.checkScopes(),
    ...unchecked.check(),
    ...gatewayKeysCheck.check(),
    ...core.issuerCheck.check(),
    ...core.proxyCheck.check(),
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
    proxyCheck: core.proxyCheck,
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
    /** The gateways of all resources, that of the API first. */
    gateways: [...gateways.values()],
    /** Serves the metadata of all resources. */
    metadata: wellKnown(resources.all.map(dependenciesOf)),
    gatewayHooks,
    // The clock of the store decides: other processes accept a token that only the clock of this process calls expired.
    verifyToken: createVerifierOfResources(resources, { ...accessTokens, now: core.storeClock.now }),
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

/**
 * The parts of a gateway, with the paths of its API at the origin of the issuer. A proxy may strip the same prefix from
 * these paths as from the path of the issuer. An API at another origin gets its path when the host mounts its gateway.
 */
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

/**
 * Hooks of a further gateway: it uses what optional parts set in `hooks`, now or later. The parts end with the first
 * gateway, so this gateway ends none of them.
 */
function sharedHooks(hooks: GatewayHooks): GatewayHooks {
  return Object.create(hooks, { closing: { value: [] } }) as GatewayHooks
}
