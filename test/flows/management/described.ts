import { expect } from 'vitest'

/** The parts of the OpenAPI document that tests read. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
}

/** The part of JSON Schema that the document uses. */
interface Schema {
  readonly $ref?: string
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

/** What was answered to a request. */
interface Answered {
  readonly status: number
  readonly type: string
  readonly body: unknown
}

/** The documents of the hosts that tests have called, by address. */
const documents = new Map<string, Promise<OpenApi>>()

/** The document of a host. */
export function documentOf(origin: string): Promise<OpenApi> {
  const fetched =
    documents.get(origin) ?? fetch(`${origin}/account/api/openapi.json`).then((answer) => answer.json())
  documents.set(origin, fetched as Promise<OpenApi>)
  return fetched as Promise<OpenApi>
}

/** Checks that the document describes an answer: its status, its code, and each field, in its order. */
export function expectDescribed(
  document: OpenApi,
  request: { method: string; path: string },
  answered: Answered,
) {
  const { status, type, body } = answered
  const { code } = Object(body) as { code?: unknown }
  const [name = ''] = request.path.split('?')
  const template = Object.keys(document.paths).find((each) =>
    new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(name),
  )
  const method = request.method.toLowerCase().replace('head', 'get')
  const operation = template === undefined ? undefined : document.paths[template]?.[method]
  // A path that cannot be decoded is not a path of the document.
  if (!operation || code === 'ERR_NO_ROUTE') {
    expect(['ERR_NO_ROUTE', 'ERR_METHOD', 'ERR_QUERY']).toContain(code)
    return
  }
  const where = `${method} ${template} ${status} ${String(code)}`
  const described = resolve(document, operation.responses[status]) as {
    content?: Record<string, { schema: Schema }>
  }
  expect(described, where).toBeDefined()
  if (body === undefined) return
  const schema = described.content?.[type]?.schema
  expect(schema, `${where} ${type}`).toBeDefined()
  expect(differences(document, schema!, body), where).toEqual([])
}

function resolve<Part extends object>(document: OpenApi, part: Part | undefined): Part | undefined {
  const { $ref } = Object(part) as Schema
  if ($ref === undefined) return part
  const [, , kind = '', name = ''] = $ref.split('/')
  return document.components[kind]?.[name] as Part | undefined
}

/** Where a value differs from its schema: fields that are not described, or are missing, or are of another kind. */
function differences(document: OpenApi, described: Schema, value: unknown, path = '$'): string[] {
  const schema = merged(document, described)
  const { oneOf, type, format, properties = {}, required = [], items } = schema
  if (oneOf) {
    const found = oneOf.map((each) => differences(document, each, value, path))
    return found.find((each) => each.length === 0) ?? found.flat()
  }
  const allowed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (allowed && !allowed.includes(value)) return [`${path} is ${String(value)}`]
  if (type === 'array') {
    if (!Array.isArray(value)) return [`${path} is no array`]
    return value.flatMap((each, at) => differences(document, items ?? {}, each, `${path}[${at}]`))
  }
  if (type === 'object' && Object.keys(properties).length > 0) {
    const fields = Object.entries(Object(value) as object)
    const names = fields.map(([name]) => name)
    const known = Object.keys(properties)
    return [
      ...required.filter((name) => !names.includes(name)).map((name) => `${path}.${name} is missing`),
      ...(names.toSorted((a, b) => known.indexOf(a) - known.indexOf(b)).join() === names.join()
        ? []
        : [`${path} has another order: ${names.join()}`]),
      ...fields.flatMap(([name, each]) => {
        const field = properties[name]
        return field
          ? differences(document, field, each, `${path}.${name}`)
          : [`${path}.${name} is not described`]
      }),
    ]
  }
  if (type === 'integer' ? !Number.isInteger(value) : type !== undefined && typeof value !== type)
    return [`${path} is no ${type}`]
  if (format === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(String(value)))
    return [`${path} is no time`]
  return []
}

/** A schema without `$ref` and `allOf`. */
function merged(document: OpenApi, described: Schema): Schema {
  const schema = resolve(document, described) ?? described
  const parts = (schema.allOf ?? []).map((each) => merged(document, each))
  return {
    ...schema,
    ...Object.assign({}, ...parts),
    ...(parts.length > 0 && { properties: Object.assign({}, ...parts.map(({ properties }) => properties)) }),
  }
}
