import { isObject, isText, isVisibleText } from '../validation/predicates.ts'
import {
  booleanRule,
  exactObjectOf,
  listOf,
  mapOf,
  notEmpty,
  optional,
  type Rule,
  visibleTextRule,
} from '../validation/rules.ts'
import { localeProblem } from '../http/locale.ts'
import { parseRoute } from './route.ts'
import { isScope, MAX_SCOPE_LENGTH, OPENID_SCOPES } from './scope.ts'

export interface CatalogOptions {
  /** The host's KYC levels, lowest first. If `kycLevels` is omitted, the levels of operations are not checked. */
  readonly kycLevels?: readonly string[] | undefined
  /** Scopes that no operation may have, in addition to the scopes of OpenID Connect. */
  readonly reservedScopes?: readonly string[] | undefined
  /** The path of {base_url}, which the routes of a product must not repeat; undefined if the API lacks the product. */
  readonly basePathOf?: ((productId: string) => string | undefined) | undefined
}

/** Which products a host may define: ids, titles, scopes (none of OpenID Connect), KYC levels; each on its own. */
export function productsRule({ kycLevels, reservedScopes = [] }: CatalogOptions): Rule {
  const operation = exactObjectOf({
    route: optional((value) => (Array.isArray(value) ? routesRule(value) : routeRule(value))),
    title: localizedTextRule,
    description: optional(localizedTextRule),
    kycLevel: optional(kycLevelRule(kycLevels)),
    sensitive: optional(booleanRule),
  })
  const scope = scopeRule(new Set([...OPENID_SCOPES, ...reservedScopes]))
  const product = exactObjectOf({
    title: localizedTextRule,
    description: optional(localizedTextRule),
    operations: notEmpty(mapOf(operation, scope)),
  })
  return mapOf(product, (id) =>
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(id)
      ? undefined
      : 'a product id is 1 to 64 letters, digits, . _ : or -, and starts with a letter or digit',
  )
}

function scopeRule(reserved: ReadonlySet<string>): (scope: string) => ReturnType<Rule> {
  return (scope) => {
    if (!isScope(scope)) {
      return `a scope is 1 to ${MAX_SCOPE_LENGTH} printable ASCII characters without space, " and \\ (RFC 6749 3.3)`
    }
    if (!reserved.has(scope)) return undefined
    return {
      code: 'not-allowed',
      message: `the scope ${scope} is reserved by OpenID Connect; give the operation another scope`,
    }
  }
}

const routeRule: Rule = (text) => {
  const route = parseRoute(text)
  return typeof route === 'string' ? route : undefined
}

const routesRule = notEmpty(listOf(routeRule))

function kycLevelRule(levels: readonly string[] | undefined): Rule {
  return (level) => {
    if (!isText(level)) return 'must be the name of a KYC level'
    if (levels?.includes(level) !== false) return undefined
    const known = levels.map((each) => `'${each}'`).join(', ') || 'there are none'
    return { code: 'not-found', message: `the KYC level '${level}' is not in kycLevels (${known})` }
  }
}

export const localizedTextRule: Rule = (value) => {
  if (isVisibleText(value)) return undefined
  const seen = new Set<string>()
  const locales = mapOf(visibleTextRule, (locale) => {
    const tag = locale.toLowerCase()
    if (seen.has(tag)) return { code: 'duplicate', message: 'occurs twice; letter case makes no difference' }
    seen.add(tag)
    return localeProblem(locale)
  })
  return isObject(value) ? notEmpty(locales)(value) : 'must be a text, or a text per locale'
}
