import { deepFreeze } from '../catalog/deep-freeze.ts'
import { silentLogger } from '../host/logger.ts'
import type { GatehouseOptions } from './options.ts'
import { addressProblem, placementProblem } from './urls.ts'
import { checkApi, readOptions } from './parse-options.ts'
import { checkAccounts, checkRole, isLiteral } from './check-interfaces.ts'
import { optionsSchema } from './schema.ts'
import { checkSecret, secretsOf } from './secret.ts'
import { resolveSigningKeys } from './signing-keys.ts'
import type { Settings } from './resolved-options.ts'

/**
 * Checks the options, adds the defaults and freezes the result. No I/O. Plain data is copied, so that later changes to
 * the host's object have no effect; the catalog checks the products themselves.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function resolveSettings(options: GatehouseOptions): Settings {
  const { add, finish } = readOptions('the options of createGatehouse are not valid', optionsSchema, options)
  const { issuer, audience, secret, store, products, accounts, registry, logger } = options
  checkApi(options, add)
  if (addressProblem(issuer) === undefined && addressProblem(audience) === undefined) {
    const misplaced = placementProblem(issuer, audience)
    if (misplaced !== undefined) add(['audience'], misplaced)
  }
  checkRole('store', store, add)
  checkSecret(secret, store?.volatile === true, (position, message) =>
    add(position === undefined ? ['secret'] : ['secret', position], message),
  )
  checkAccounts(accounts, add)
  if (registry !== undefined) checkRole('registry', registry, add)
  if (logger !== undefined) checkRole('logger', logger, add)

  const signingKeys = resolveSigningKeys(options.signingKeys, add)
  const { mountPath, branding, kycLevels, claims, ...rest } = finish()
  const address = new URL(issuer)
  return Object.freeze({
    issuer,
    audience,
    store,
    registry,
    logger: logger ?? silentLogger,
    accounts: isLiteral(accounts) ? Object.freeze({ ...accounts }) : accounts,
    products,
    secrets: Object.freeze(secretsOf(secret, store.volatile === true)),
    mountPath: (mountPath ?? address.pathname).replace(/^\/$/, ''),
    kycLevels: Object.freeze([...kycLevels]),
    claims: deepFreeze(
      Object.fromEntries(Object.entries(claims).map(([scope, names]) => [scope, [...names]])),
    ),
    openIdScopes: Object.freeze(['openid', ...Object.keys(claims)]),
    branding: Object.freeze({ ...branding, name: branding.name ?? address.hostname, logo: branding.logo }),
    lifetimes: Object.freeze(rest.lifetimes),
    texts: deepFreeze(rest.texts),
    defaultLocale: rest.defaultLocale,
    requirePkce: rest.requirePkce,
    refreshTokenGraceSeconds: rest.refreshTokenGraceSeconds,
    revocations: Object.freeze(rest.revocations),
    signingKeys,
    maxScopeBytes: rest.maxScopeBytes,
    storeTimeoutMs: rest.storeTimeoutMs,
    productsTimeoutMs: rest.productsTimeoutMs,
    startTimeoutMs: rest.startTimeoutMs,
    tokenCacheBytes: rest.tokenCacheBytes,
    signInAttempts: Object.freeze(rest.signInAttempts),
    maxPendingInteractions: rest.maxPendingInteractions,
  })
}
