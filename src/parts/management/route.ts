import type { Context } from 'koa'
import type { CreationOptions } from '../../clients/client-inputs.ts'
import type { ConditionalChange } from '../../clients/if-match.ts'
import type { Access, Guarded, Visit } from '../front-door/access.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import type { Fields, Rule } from '../../validation/rules.ts'
import type { ProblemCode } from './openapi-codes.ts'
import type { AnswerName } from './answer-schemas.ts'

/** One request that was checked: the caller may make it, and its input has the right form. */
export interface Call<Body = unknown, Query = unknown, Resource = unknown> extends Visit<Resource> {
  readonly query: Query
  readonly body: Body
  /** The options of each change that the request makes. */
  readonly change: ConditionalChange
}

/** One route of the table. The router, the checks, the permissions and the OpenAPI document are made from it. */
export interface Route<Body = unknown, Query = unknown, Resource = unknown> extends Omit<
  Guarded<Resource>,
  'access'
> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Path below the API, with parameters in braces: `/api-keys/{clientId}`. */
  readonly path: string
  readonly operationId: string
  /** The group of the route in the OpenAPI document. */
  readonly tag: string
  readonly summary: string
  readonly description?: string | undefined
  /** Who may call the route: callers with a permission, every signed-in caller, operators, or everyone. */
  readonly access: Access | 'public'
  /**
   * The errors with which the route may answer, besides the errors that follow from its other fields.
   */
  readonly errors?: readonly ProblemCode[] | undefined
  readonly query?: Rule<Query> | undefined
  readonly body?: Rule<Body> | undefined
  /**
   * The rules of the service for the values of the body. With these rules, one answer can name all mistakes of a body.
   */
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
  /**
   * The rule of the answer. It also decides the fields, their order, and the format of times. Undefined if the answer
   * has no body.
   */
  readonly answer?: AnswerName | undefined
  /** Whether the OpenAPI document names the `ETag` of the answer; `sendClient` sends this header. */
  readonly documentsEtag?: boolean | undefined
  handle(call: Call<Body, Query, Resource>): Promise<unknown>
}

/** Adds a route to the table. Its rules give the types of its input. */
export function route<Body = undefined, Query = undefined, Resource = undefined>(
  definition: Route<Body, Query, Resource>,
): Route {
  // Only `createRouteHandler` calls `handle`, with the results of the same route's rules and `find`.
  return definition as unknown as Route
}

/** The option that makes a change repeatable, from the header of a request. */
export function repeatOptionsOf({ headers }: Context): CreationOptions {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { idempotencyKey: String(key) }
}
