import { isDeepStrictEqual } from 'node:util'
import type { Operation, Product } from './catalog.ts'
import { isLocale } from './localize.ts'
import type { LocalizedText } from './definition.ts'
import { parseRoute, type Route } from './route.ts'
import { isObject, isText } from '../validation/predicates.ts'
import { isScope, MAX_SCOPE_LENGTH } from './scope.ts'

/** The path of a value in the definitions. */
export type Place = readonly (string | number)[]

/** The constraints on definitions, and the collector of their problems. */
export interface Reading {
  /** Undefined if the levels are unknown: in a gateway without an authorization server. */
  readonly kycLevels: readonly string[] | undefined
  readonly reservedScopes: ReadonlySet<string>
  problem(place: Place, message: string): void
}

/** An operation with its parsed routes. */
export interface ReadOperation {
  readonly place: Place
  readonly operation: Operation
  readonly routes: readonly { readonly place: Place; readonly route: Route }[]
}

/** A product. Its operations are in the order of their definitions. */
export interface ReadProduct {
  readonly product: Omit<Product, 'operations'>
  readonly operations: readonly ReadOperation[]
}

type Values = Readonly<Record<string, unknown>>

const PRODUCT_KEYS = ['title', 'description', 'operations']
const OPERATION_KEYS = ['route', 'title', 'description', 'kycLevel']
const PRODUCT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/

/** Reads one product of any shape, and reports all its problems. */
export function readProduct(reading: Reading, id: string, value: unknown): ReadProduct | undefined {
  const place = ['products', id]
  if (!PRODUCT_ID.test(id)) {
    reading.problem(
      place,
      'a product id is 1 to 64 letters, digits, . _ : or -, and starts with a letter or digit',
    )
  }
  if (!isObject(value)) {
    reading.problem(place, 'must be an object with title and operations')
    return undefined
  }
  rejectUnknownKeys(reading, place, value, PRODUCT_KEYS)
  const texts = readTexts(reading, place, value)
  return {
    product: { id, ...texts },
    operations: readOperations(reading, [...place, 'operations'], value['operations']),
  }
}

/** The names of the properties in which two definitions of one scope differ. */
export function differences(one: Operation, other: Operation): string[] {
  const properties = ['routes', 'title', 'description', 'kycLevel'] as const
  return properties
    .filter((property) => !isDeepStrictEqual(one[property], other[property]))
    .map((property) => (property === 'routes' ? 'route' : property))
}

function readOperations(reading: Reading, place: Place, value: unknown): ReadOperation[] {
  if (!isObject(value)) {
    reading.problem(place, 'must be an object of operations, each under its scope')
    return []
  }
  const entries = Object.entries(value)
  if (entries.length === 0) reading.problem(place, 'is empty; a product has at least one operation')
  return entries.flatMap(([scope, definition]) =>
    readOperation(reading, [...place, scope], scope, definition),
  )
}

function readOperation(reading: Reading, place: Place, scope: string, value: unknown): ReadOperation[] {
  if (!isScope(scope)) {
    reading.problem(
      place,
      `a scope is 1 to ${MAX_SCOPE_LENGTH} printable ASCII characters without space, " and \\ (RFC 6749 3.3)`,
    )
  } else if (reading.reservedScopes.has(scope)) {
    reading.problem(place, `the scope ${scope} is reserved by OpenID Connect; give the operation another one`)
  }
  if (!isObject(value)) {
    reading.problem(place, 'must be an object with route and title')
    return []
  }
  rejectUnknownKeys(reading, place, value, OPERATION_KEYS)
  const routes = readRoutes(reading, [...place, 'route'], value['route'])
  const operation = {
    scope,
    routes: routes.map(({ route }) => ({ method: route.method, path: route.path })),
    ...readTexts(reading, place, value),
    ...readLevel(reading, place, value['kycLevel']),
  }
  return [{ place, operation, routes }]
}

function readRoutes(reading: Reading, place: Place, value: unknown): ReadOperation['routes'] {
  if (value === undefined) {
    reading.problem(place, "is required: a route such as 'GET /invoices/:id', or a list of them")
    return []
  }
  const isList = Array.isArray(value)
  if (isList && value.length === 0) reading.problem(place, 'is empty; an operation has at least one route')
  return (isList ? (value as unknown[]) : [value]).flatMap((text, index) => {
    const at = isList ? [...place, index] : place
    const route = parseRoute(text)
    if (typeof route !== 'string') return [{ place: at, route }]
    reading.problem(at, route)
    return []
  })
}

function readLevel(reading: Reading, place: Place, level: unknown): Pick<Operation, 'kycLevel'> {
  if (level === undefined) return {}
  const at = [...place, 'kycLevel']
  if (!isText(level)) {
    reading.problem(at, 'must be the name of a KYC level')
    return {}
  }
  if (reading.kycLevels?.includes(level) === false) {
    const levels = reading.kycLevels.map((known) => `'${known}'`).join(', ')
    reading.problem(at, `the KYC level '${level}' is not in kycLevels (${levels || 'there are none'})`)
  }
  return { kycLevel: level }
}

function readTexts(
  reading: Reading,
  place: Place,
  { title, description }: Values,
): Pick<Product, 'title' | 'description'> {
  return {
    title: readText(reading, [...place, 'title'], title),
    ...(description !== undefined && {
      description: readText(reading, [...place, 'description'], description),
    }),
  }
}

/** Returns a copy, because the catalog is frozen and the host's definitions are not. */
function readText(reading: Reading, place: Place, value: unknown): LocalizedText {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (!isObject(value)) {
    const problem = value === undefined ? 'is required:' : 'must be'
    reading.problem(place, `${problem} a text, or a text per locale`)
    return ''
  }
  const entries = Object.entries(value)
  if (entries.length === 0) reading.problem(place, 'is empty; give a text for at least one locale')
  const seen = new Set<string>()
  for (const [locale, text] of entries) {
    const at = [...place, locale]
    if (!isLocale(locale)) reading.problem(at, "must be a language tag such as 'en' or 'de-CH' (BCP 47)")
    else if (seen.has(locale.toLowerCase())) {
      reading.problem(at, 'is there twice; letter case makes no difference')
    } else if (!isText(text) || text.trim() === '') reading.problem(at, 'must be a text')
    seen.add(locale.toLowerCase())
  }
  return Object.fromEntries(entries) as Record<string, string>
}

function rejectUnknownKeys(reading: Reading, place: Place, value: Values, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) reading.problem([...place, key], `is unknown; use ${known.join(', ')}`)
  }
}
