import { toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Route } from './route.ts'
import { SCHEMAS, type SchemaName } from './schemas.ts'

const REFERENCE = '#/components/schemas/'

const referenceTo = (name: SchemaName) => ({ $ref: REFERENCE + name })

/** The OpenAPI document of the table of routes. @param path the mount path of the API */
export function openApiDocument(routes: readonly Route[], path: string) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const each of routes) (paths[each.path] ??= {})[each.method] = operationOf(each)
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Management API',
      version: '1',
      description:
        'API keys, applications and authorizations of the signed-in account. All times are in epoch seconds.',
    },
    servers: [{ url: path === '' ? '/' : path }],
    tags,
    paths,
    components: {
      schemas: toJsonSchemaDefs(SCHEMAS, {
        overrideRef: ({ referenceId }) => REFERENCE + referenceId,
      }),
    },
  }
}

function operationOf(each: Route) {
  const { operationId, tag, summary, body, answer, status, documentsEtag } = each
  return {
    operationId,
    tags: [tag],
    summary,
    description: [each.description, accessOf(each)].filter(Boolean).join('\n\n'),
    parameters: [...pathParameters(each), ...queryParameters(each), ...headerParameters(each)],
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(body) } },
      },
    }),
    responses: {
      [status]: {
        description: status === 204 ? 'Done' : 'OK',
        ...(documentsEtag && {
          headers: { ETag: { description: 'For If-Match', schema: { type: 'string' } } },
        }),
        ...(status !== 204 && {
          content: { 'application/json': { schema: answer ? referenceTo(answer) : { type: 'object' } } },
        }),
      },
      default: {
        description: 'Problem details (RFC 9457)',
        content: { 'application/problem+json': { schema: referenceTo('Problem') } },
      },
    },
  }
}

function accessOf({ access }: Route): string {
  if (access === 'public') return 'Needs no sign-in.'
  if (access === 'operator') return 'Only for operators.'
  return access === 'signed-in' ? 'For every signed-in caller.' : `Permission: \`${access}\``
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
  const { properties = {}, required = [] } = toJsonSchema(query)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

function headerParameters({ method, access, isConditional, isRepeatable }: Route) {
  const headers = {
    'X-CSRF-Token':
      method !== 'get' &&
      access !== 'public' &&
      'The csrfToken of GET /session; needed with a session cookie',
    'If-Match': isConditional && 'Make the change only if the ETag is still this one',
    'Idempotency-Key': isRepeatable && 'A repeat with the same key within 24 hours gets the same answer',
  }
  return Object.entries(headers).flatMap(([name, description]) =>
    description ? [{ name, in: 'header', required: false, description, schema: { type: 'string' } }] : [],
  )
}

/** A reference if the schema has a name, or else the schema itself. */
function schemaOf(schema: v.GenericSchema): object {
  const named = Object.entries(SCHEMAS).find(([, each]) => (each as unknown) === schema)
  return named ? referenceTo(named[0] as SchemaName) : toJsonSchema(schema)
}
