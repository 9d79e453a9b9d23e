import type { Context } from 'koa'
import type { CreationOptions } from '../../clients/create-client.ts'
import type { ConditionalChange } from '../../clients/client-etag.ts'
import type { Access, Guarded, Visit } from '../front-door/access.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Fields, Rule } from '../../validation/rules.ts'
import type { ProblemCode } from './openapi-codes.ts'
import type { AnswerName } from './answer-schemas.ts'

/** A request whose caller may make it, and whose input has the right form. */
export interface Call<Body = unknown, Query = unknown, Resource = unknown> extends Visit<Resource> {
  readonly query: Query
  readonly body: Body
  readonly change: ConditionalChange
}

/** The router, the checks, the permissions and the OpenAPI document are made from the table of routes. */
export interface Route<Body = unknown, Query = unknown, Resource = unknown> extends Omit<
  Guarded<Resource>,
  'access'
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below the API, with parameters in braces: `/api-keys/{clientId}`. */
  readonly path: string
  readonly operationId: string
  /** The group of the route in the OpenAPI document. */
  readonly tag: string
  readonly summary: string
  readonly description?: string | undefined
  readonly access: Access | 'public'
  /** The errors with which the route may answer, besides those that follow from its other fields. */
  readonly errors?: readonly ProblemCode[] | undefined
  readonly query?: Rule<Query> | undefined
  readonly body?: Rule<Body> | undefined
  /** The rules of the service for the values of the body. With them, one answer can name all mistakes of a body. */
  readonly rules?: ((body: unknown) => Fields) | undefined
  /** Rejects the call because of its input, before the caller must sign in again. */
  readonly check?: ((call: Call<Body, Query, Resource>) => Promise<void>) | undefined
  /** Whether the change honours `If-Match`. */
  readonly isConditional?: boolean | undefined
  /** What the caller must confirm by a fresh sign-in, if the host demands it (`accounts.confirm`). */
  readonly confirms?: ConfirmedPermission | undefined
  /** Whether the request may carry an `Idempotency-Key`. */
  readonly isRepeatable?: boolean | undefined
  readonly status: 200 | 201 | 204
  /** Its rule also decides the fields, their order, and the format of times. Undefined for an answer without a body. */
  readonly answer?: AnswerName | undefined
  /** Whether the OpenAPI document names the `ETag` of the answer; `sendClient` sends this header. */
  readonly documentsEtag?: boolean | undefined
  handle(call: Call<Body, Query, Resource>): Promise<unknown>
}

interface Definition<Body, Query, Resource> extends Omit<
  Route<Body, Query, Resource>,
  'method' | 'path' | 'status'
> {
  /** `get /api-keys/{clientId}` */
  readonly path: `${Route['method']} ${string}`
}

/** Adds a route to the table. Its rules give the types of its input. What is repeatable creates something. */
export function route<Body = undefined, Query = undefined, Resource = undefined>(
  definition: Definition<Body, Query, Resource>,
): Route {
  const [method, path] = definition.path.split(' ')
  const status = definition.isRepeatable ? 201 : definition.answer ? 200 : 204
  // Only `createRouteHandler` calls `handle`, with the results of the same route's rules and `find`.
  return { ...definition, method, path, status } as unknown as Route
}

/** The option that makes a change repeatable, from the header of a request. */
export function repeatOptionsOf({ headers }: Context): CreationOptions {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { idempotencyKey: String(key) }
}
