import * as v from 'valibot'
import { deepFreeze } from '../catalog/deep-freeze.ts'
import { isRecord } from '../catalog/read-definitions.ts'
import { collectProblems, formatPath } from '../errors.ts'
import { silentLogger } from '../host/logger.ts'
import type { GatehouseOptions, Settings } from '../options.ts'
import { addressProblem, placementProblem } from './address.ts'
import { checkAccounts, checkRole, isLiteral } from './roles.ts'
import { optionsSchema } from './schema.ts'
import { checkSecret, secretsOf } from './secret.ts'

/**
 * Checks the options, fills in the defaults and freezes the result. No I/O. Plain data is copied, so that
 * later changes of the host's object change nothing here; the products themselves are the catalog's to check.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` with all that is wrong, each with its path and what would be right
 */
export function resolveSettings(options: GatehouseOptions): Settings {
  const problems = collectProblems('ERR_OPTIONS', 'the options of createGatehouse are not valid')
  const add = (keys: readonly (string | number)[], message: string) => problems.add(formatPath(keys), message)

  const parsed = v.safeParse(optionsSchema, options)
  for (const issue of parsed.issues ?? []) {
    // Every schema in use has string keys; what has no path is the options as a whole.
    const keys = issue.path?.map(({ key }) => key as string) ?? ['options']
    add(keys, issue.message)
  }
  if (!isRecord(options)) problems.throwIfAny()

  const { issuer, audience, secret, store, products, accounts, registry, logger } = options
  for (const [name, address] of Object.entries({ issuer, audience })) {
    const problem = addressProblem(address)
    if (problem !== undefined) add([name], problem)
  }
  if (addressProblem(issuer) === undefined && addressProblem(audience) === undefined) {
    const misplaced = placementProblem(issuer, audience)
    if (misplaced !== undefined) add(['audience'], misplaced)
  }
  if (typeof products !== 'function' && !isRecord(products)) {
    add(['products'], 'must be an object of products, or a function that loads them')
  }
  checkRole('store', store, add)
  checkSecret(secret, store?.volatile === true, (position, message) =>
    add(position === undefined ? ['secret'] : ['secret', position], message),
  )
  checkAccounts(accounts, add)
  if (registry !== undefined) checkRole('registry', registry, add)
  if (logger !== undefined) checkRole('logger', logger, add)
  problems.throwIfAny()

  const { mountPath, branding, kycLevels, claims, ...rest } = parsed.output as Parsed
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
    maxScopeBytes: rest.maxScopeBytes,
    storeTimeoutMs: rest.storeTimeoutMs,
  })
}

type Parsed = v.InferOutput<typeof optionsSchema>
