import { STATUS_CODES } from 'node:http'
import type { Rule } from '../../validation/rules.ts'
import { permissionOf } from '../front-door/permissions-on-clients.ts'
import type { Route } from './route.ts'
import { collectProblemResponses } from './openapi-responses.ts'
import { BODIES } from './body-schemas.ts'
import { ANSWERS } from './answer-schemas.ts'

const REFERENCE = '#/components/schemas/'

const RULES: Readonly<Record<string, Rule>> = { ...BODIES, ...ANSWERS }
const NAMES = new Map<unknown, string>(Object.entries(RULES).map(([name, { json }]) => [json, name]))

/** What the routes of each tag do, in the order of the document. */
const TAGS: Readonly<Record<string, string>> = {
  Session: 'Who calls, and how to call.',
  'API keys': 'Credentials of programs that act on the account itself.',
  Applications: 'Credentials of programs that act on the accounts of users who approved it.',
  Secrets: 'Client secrets that leaked.',
  Hygiene: 'API keys and applications that need attention.',
  Usage: 'How often clients call which operation, if the host counts it.',
  Catalog: 'The products and operations that clients may have.',
  Authorizations: 'What the caller has approved, and how to revoke it.',
  'Audit trail': 'Who did what, and when.',
  Operators: 'Clients and accounts of everyone, signing keys and health, for operators.',
}

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session',
    description: 'The session cookie of the app. Its name is that of the app.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The `csrfToken` of `GET /session`. A change with a session cookie needs it.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token that the app gives to scripts. A change with it needs no CSRF token.',
  },
}

const LOCATION =
  'Where the new thing, or the list that has it, can be read; relative to the address of the request'

/** The OpenAPI document of the table of routes. @param path the path of the API, as clients see it */
export function openApiDocument(routes: readonly Route[], path: string) {
  const operations: Record<string, Record<string, unknown>> = {}
  const problems = collectProblemResponses()
  for (const each of routes)
    (operations[each.path] ??= {})[each.method] = operationOf(each, problems.of(each))
  const paths = withReferences(operations)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Management API',
      version: '1',
      description:
        'API keys, applications and authorizations of the signed-in account. Times are in UTC (ISO 8601), durations in seconds. A path that is not in this document gets 404 with `ERR_NO_ROUTE`, another method 405 with `ERR_METHOD` and `Allow`.',
      contact: { name: 'koa-gatehouse', url: 'https://github.com/koa-gatehouse/koa-gatehouse' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: path === '' ? '/' : path }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: usedSchemas({ paths, responses: problems.components }),
      responses: problems.components,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function withReferences(part: object | undefined): object {
  const refer = (key: string, value: unknown) =>
    key !== '' && NAMES.has(value) ? { $ref: REFERENCE + NAMES.get(value) } : value
  return JSON.parse(JSON.stringify(part, refer)) as object
}

/** The schemas that a part of the document names, and those that they name. Optional parts may lack their routes. */
function usedSchemas(part: object): Record<string, object> {
  const all = Object.entries(RULES).map(([name, { json }]) => [name, withReferences(json)] as const)
  const schemas = new Map(all)
  const used = new Set<string>()
  const namesIn = (value: unknown) =>
    [...JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name)
  const open = namesIn(part)
  for (const name of open) {
    if (used.has(name)) continue
    used.add(name)
    open.push(...namesIn(schemas.get(name) ?? {}))
  }
  return Object.fromEntries(all.filter(([name]) => used.has(name)))
}

function operationOf(each: Route, problems: Record<string, object>) {
  const { operationId, tag, summary, body, answer, status, documentsEtag } = each
  return {
    operationId,
    tags: [tag],
    summary,
    security: securityOf(each),
    description: [each.description, accessOf(each)].filter(Boolean).join('\n\n'),
    parameters: [...pathParameters(each), ...queryParameters(each), ...headerParameters(each)],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body.json } },
      },
    }),
    responses: {
      [status]: {
        description: STATUS_CODES[status],
        ...headersOf({ ETag: documentsEtag && 'For If-Match', Location: status === 201 && LOCATION }),
        ...(status !== 204 && {
          content: { 'application/json': { schema: answer ? ANSWERS[answer].json : { type: 'object' } } },
        }),
      },
      ...problems,
    },
  }
}

function securityOf({ method, access }: Route): Record<string, string[]>[] {
  if (access === 'public') return []
  return [{ session: [], ...(method !== 'get' && { csrfToken: [] }) }, { bearer: [] }]
}

function headersOf(descriptions: Record<string, string | false | undefined>) {
  const described = Object.entries(descriptions).filter(([, description]) => description)
  const headers = described.map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return headers.length > 0 && { headers: Object.fromEntries(headers) }
}

function accessOf({ access }: Route): string {
  if (access === 'public') return 'Needs no sign-in.'
  if (access === 'operator') return 'Only for operators.'
  return access === 'signed-in' ? 'For every signed-in caller.' : `Permission: \`${permissionOf(access)}\``
}

function pathParameters({ path }: Route) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: Route) {
  if (!query) return []
  const { properties, required } = query.json as { properties: object; required: readonly string[] }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function headerParameters({ isConditional, isRepeatable }: Route) {
  const headers = {
    'If-Match': isConditional && 'Make the change only if the ETag is still this one',
    'Idempotency-Key': isRepeatable && 'A repeat with the same key within 24 hours gets the same answer',
  }
  return Object.entries(headers).flatMap(([name, description]) =>
    description ? [{ name, in: 'header', required: false, description, schema: { type: 'string' } }] : [],
  )
}
