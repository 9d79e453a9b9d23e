import { isDeepStrictEqual } from 'node:util'
import type { Operation, Product } from './catalog.ts'
import { isLocale } from './localize.ts'
import type { LocalizedText } from './definition.ts'
import { parseRoute, type Route } from './route.ts'
import { isObject } from '../validation/predicates.ts'
import { isScope, LONGEST_SCOPE } from './scope.ts'

/** Where something stands in the definitions. */
export type Place = readonly (string | number)[]

/** What definitions are checked against, and where problems go. */
export interface Reading {
  /** Undefined where the levels are not known: in a gateway without an authorization service. */
  readonly kycLevels: readonly string[] | undefined
  readonly reservedScopes: ReadonlySet<string>
  problem(place: Place, message: string): void
}

/** An operation as it is read, with its routes taken apart. */
export interface ReadOperation {
  readonly place: Place
  readonly operation: Operation
  readonly routes: readonly { readonly place: Place; readonly route: Route }[]
}

/** A product as it is read. Its operations are in the order of their definitions. */
export interface ReadProduct {
  readonly product: Omit<Product, 'operations'>
  readonly operations: readonly ReadOperation[]
}

const PRODUCT_KEYS = ['title', 'description', 'operations']
const OPERATION_KEYS = ['route', 'title', 'description', 'kycLevel']
const PRODUCT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/
/** Reads one product of any shape; everything that is wrong with it becomes a problem. */
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
  const title = readText(reading, [...place, 'title'], value['title'])
  const description = readOptionalText(reading, [...place, 'description'], value['description'])
  const operations = readOperations(reading, [...place, 'operations'], value['operations'])
  return { product: { id, title, ...(description !== undefined && { description }) }, operations }
}

/** How two definitions of one scope differ: names of their properties, empty if they are the same. */
export function differences(one: Operation, other: Operation): string[] {
  const properties = [
    ['route', 'routes'],
    ['title', 'title'],
    ['description', 'description'],
    ['kycLevel', 'kycLevel'],
  ] as const
  return properties
    .filter(([, property]) => !isDeepStrictEqual(one[property], other[property]))
    .map(([name]) => name)
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
      `a scope is 1 to ${LONGEST_SCOPE} printable ASCII characters without space, " and \\ (RFC 6749 3.3)`,
    )
  } else if (reading.reservedScopes.has(scope)) {
    reading.problem(place, `the scope ${scope} is taken by OpenID Connect; give the operation another one`)
  }
  if (!isObject(value)) {
    reading.problem(place, 'must be an object with route and title')
    return []
  }
  rejectUnknownKeys(reading, place, value, OPERATION_KEYS)
  const routes = readRoutes(reading, [...place, 'route'], value['route'])
  const title = readText(reading, [...place, 'title'], value['title'])
  const description = readOptionalText(reading, [...place, 'description'], value['description'])
  const kycLevel = readLevel(reading, [...place, 'kycLevel'], value['kycLevel'])
  const operation = {
    scope,
    routes: routes.map(({ route }) => ({ method: route.method, path: route.path })),
    title,
    ...(description !== undefined && { description }),
    ...(kycLevel !== undefined && { kycLevel }),
  }
  return [{ place, operation, routes }]
}

function readRoutes(reading: Reading, place: Place, value: unknown): ReadOperation['routes'] {
  const many = Array.isArray(value)
  if (many && value.length === 0) reading.problem(place, 'is empty; an operation has at least one route')
  if (value === undefined) {
    reading.problem(place, "is required: a route such as 'GET /invoices/:id', or a list of them")
    return []
  }
  return (many ? (value as unknown[]) : [value]).flatMap((text, index) => {
    const at = many ? [...place, index] : place
    const route = parseRoute(text)
    if (typeof route !== 'string') return [{ place: at, route }]
    reading.problem(at, route)
    return []
  })
}

function readLevel(reading: Reading, place: Place, value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') {
    reading.problem(place, 'must be the name of a KYC level')
    return undefined
  }
  if (reading.kycLevels !== undefined && !reading.kycLevels.includes(value)) {
    const levels = reading.kycLevels.map((level) => `'${level}'`).join(', ')
    reading.problem(place, `the KYC level '${value}' is not in kycLevels (${levels || 'there are none'})`)
  }
  return value
}

function readOptionalText(reading: Reading, place: Place, value: unknown): LocalizedText | undefined {
  return value === undefined ? undefined : readText(reading, place, value)
}

function readText(reading: Reading, place: Place, value: unknown): LocalizedText {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (!isObject(value)) {
    reading.problem(
      place,
      value === undefined
        ? 'is required: a text, or a text per locale'
        : 'must be a text, or a text per locale',
    )
    return ''
  }
  const entries = Object.entries(value)
  if (entries.length === 0) reading.problem(place, 'is empty; give a text for at least one locale')
  const seen = new Set<string>()
  for (const [locale, text] of entries) {
    const at = [...place, locale]
    if (!isLocale(locale)) reading.problem(at, "must be a language tag such as 'en' or 'de-CH' (BCP 47)")
    else if (seen.has(locale.toLowerCase()))
      reading.problem(at, 'is there twice; letter case makes no difference')
    else if (typeof text !== 'string' || text.trim() === '') reading.problem(at, 'must be a text')
    seen.add(locale.toLowerCase())
  }
  return Object.fromEntries(entries) as Record<string, string>
}

function rejectUnknownKeys(reading: Reading, place: Place, value: object, known: readonly string[]): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      reading.problem([...place, key], `is unknown; what can stand here is ${known.join(', ')}`)
    }
  }
}
