import { ROUTES } from '../../authorization-server/provider/routes.ts'
import type { Operation } from '../../catalog/catalog.ts'
import type { LocalizedText } from '../../catalog/definition.ts'
import { localize } from '../../catalog/localize.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf, type Internals } from '../../gatehouse/internals.ts'
import { isObject } from '../../validation/predicates.ts'
import { checkInput, must, optional } from '../../validation/rules.ts'
import { basePathOf, documentRule } from './api-drift.ts'
import { documentRoutes, operationRoutes, toTemplate, type OperationRoute } from './operation-routes.ts'

/** Options of `openApiOf()`. */
export interface OpenApiOptions {
  /**
   * The OpenAPI 3 document of your API, to which security and error responses are added. What it has already stays.
   * @default a document with all operations of the catalog
   */
  readonly document?: object | undefined
  /** The `info` object of a new document. @default the name of the service as title, and version 1 */
  readonly info?: Readonly<Record<string, unknown>> | undefined
}

/** An OpenAPI document. */
export type OpenApiDocument = Record<string, unknown>

const SCHEME = 'gatehouse'

/**
 * The OpenAPI document of the API behind the gateway: the security scheme, the scopes of each operation, and the error
 * responses of the gateway, from the catalog. Titles are in the default locale.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, or if `gatehouse` is not from
 *   `createGatehouse()`; the errors of `ready()`
 */
export async function openApiOf(
  gatehouse: AnyGatehouse,
  options: OpenApiOptions = {},
): Promise<OpenApiDocument> {
  const parts = internalsOf(gatehouse, 'openApiOf()')
  checkInput('openApiOf()', options, {
    document: optional(documentRule),
    info: optional(must('an object', isObject)),
  })
  await parts.ready()
  const { document } = options
  const result = document ? (structuredClone(document) as OpenApiDocument) : newDocument(parts, options)
  addComponents(parts, result, addToOperations(parts, result))
  return result
}

function newDocument(parts: Internals, { info = {} }: OpenApiOptions) {
  const { products } = parts.resources.main.catalog.current
  const paths: Record<string, Record<string, unknown>> = {}
  const tagOf = new Map<string, string>()
  for (const product of products.values()) {
    for (const { scope } of product.operations) if (!tagOf.has(scope)) tagOf.set(scope, product.id)
  }
  for (const route of operationRoutes(parts.resources.main.catalog.current)) {
    const item = (paths[toTemplate(route.path)] ??= {})
    item[route.method.toLowerCase()] = newOperation(parts, route, tagOf.get(route.operation.scope) ?? '')
  }
  const used = new Set(tagOf.values())
  return {
    openapi: '3.1.0',
    info: { title: parts.branding.name, version: '1', ...structuredClone(info) },
    servers: [{ url: parts.audience }],
    tags: [...products.values()]
      .filter(({ id }) => used.has(id))
      .map(({ id, title: name, description }) => ({
        name: id,
        description: textOf(parts, description ?? name),
      })),
    paths,
  } satisfies OpenApiDocument
}

function newOperation(parts: Internals, { method, path, operation }: OperationRoute, tag: string) {
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  return {
    operationId: operationIdOf(operation, method, path),
    tags: [tag],
    summary: textOf(parts, operation.title),
    description: descriptionOf(parts, operation),
    ...(parameters.length > 0 && { parameters }),
    responses: { '200': { description: 'The answer of the API' } },
  }
}

function descriptionOf(parts: Internals, { scope, description }: Operation): string {
  const needs = `Needs the scope \`${scope}\`.`
  return description === undefined ? needs : `${textOf(parts, description)}\n\n${needs}`
}

/** The scope, if the operation has one route. Otherwise the method and the path are added. */
function operationIdOf({ scope, routes }: Operation, method: string, path: string): string {
  const id = routes.length === 1 ? scope : `${scope}_${method.toLowerCase()}${path}`
  return id.replaceAll(/\W+/g, '_')
}

/** Returns the statuses of the responses that were added. */
function addToOperations(parts: Internals, document: OpenApiDocument): ReadonlySet<Status> {
  const byShape = new Map(
    operationRoutes(parts.resources.main.catalog.current).map((each) => [each.shape, each.operation]),
  )
  const isLimited = parts.gatewayHooks.limiter !== undefined
  const statuses = STATUSES.filter((status) => status !== '429' || isLimited)
  const used = new Set<Status>()
  for (const { shape, operation } of documentRoutes(document, basePathOf(parts.audience))) {
    const own = byShape.get(shape)
    if (!own) continue
    operation['security'] ??= [{ [SCHEME]: [own.scope] }]
    const responses = isObject(operation['responses']) ? operation['responses'] : {}
    const added = statuses.filter((status) => !(status in responses))
    for (const status of added) used.add(status)
    operation['responses'] = {
      ...responses,
      ...Object.fromEntries(added.map((status) => [status, referenceTo(status)])),
    }
  }
  return used
}

type Status = keyof typeof ERROR_RESPONSES

const STATUSES = ['400', '401', '403', '404', '429', '503'] as const satisfies readonly Status[]

const referenceTo = (status: Status) => ({
  $ref: `#/components/responses/Gatehouse${status}`,
})

function addComponents(parts: Internals, document: OpenApiDocument, statuses: ReadonlySet<Status>): void {
  const present = isObject(document['components']) ? document['components'] : {}
  const used = [...statuses].map((status) => [`Gatehouse${status}`, ERROR_RESPONSES[status]] as const)
  document['components'] = {
    ...present,
    responses: { ...(isObject(present['responses']) && present['responses']), ...Object.fromEntries(used) },
    securitySchemes: {
      ...(isObject(present['securitySchemes']) && present['securitySchemes']),
      [SCHEME]: securityScheme(parts),
    },
  }
}

function securityScheme(parts: Internals) {
  const { issuer, resources } = parts
  const scopes = Object.fromEntries(
    [...resources.main.catalog.current.operations.values()].map(({ scope, title }) => [
      scope,
      textOf(parts, title),
    ]),
  )
  const tokenUrl = issuer + ROUTES.token
  return {
    type: 'oauth2',
    description:
      'Access tokens of this service: for an API key, or for an application that a user has authorized.',
    flows: {
      clientCredentials: { tokenUrl, scopes },
      authorizationCode: {
        authorizationUrl: issuer + ROUTES.authorization,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes,
      },
    },
  }
}

function textOf({ defaultLocale }: Pick<Internals, 'defaultLocale'>, text: LocalizedText): string {
  return localize(text, [defaultLocale], 'en')
}

const TEXT = { type: 'string' } as const

const BODY = {
  'application/json': {
    schema: {
      type: 'object',
      properties: {
        error: { ...TEXT, description: 'A code; absent if no token was sent' },
        error_description: TEXT,
      },
      required: ['error_description'],
    },
  },
} as const

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'What the call needs (RFC 6750 3), with `error`, `scope` and `resource_metadata`',
    schema: TEXT,
  },
} as const

const RETRY = { 'Retry-After': { description: 'Seconds', schema: { type: 'integer' } } } as const

const ERROR_RESPONSES = {
  '400': { description: 'The token was not sent as RFC 6750 requires', headers: CHALLENGE, content: BODY },
  '401': { description: 'There is no token, or it is not valid', headers: CHALLENGE, content: BODY },
  '403': {
    description: 'The token does not carry the scope, or its client may not be used from this address',
    headers: CHALLENGE,
    content: BODY,
  },
  '404': { description: 'There is no operation with this method and path', content: BODY },
  '429': {
    description: 'The client has made as many calls as it may make',
    headers: {
      ...RETRY,
      RateLimit: { description: 'The calls that are left: `r`, and seconds: `t`', schema: TEXT },
      'RateLimit-Policy': { description: 'The limits: `q` calls in `w` seconds', schema: TEXT },
    },
    content: {
      'application/problem+json': {
        schema: {
          type: 'object',
          properties: {
            type: { ...TEXT, format: 'uri' },
            title: TEXT,
            status: { type: 'integer' },
            'violated-policies': { type: 'array', items: TEXT },
            error: TEXT,
            error_description: TEXT,
          },
          required: ['type', 'title', 'status', 'violated-policies'],
        },
      },
    },
  },
  '503': { description: 'Tokens cannot be checked at the moment', headers: RETRY, content: BODY },
} as const
