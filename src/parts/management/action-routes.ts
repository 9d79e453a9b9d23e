import type { Context } from 'koa'
import type { CreationOptions } from '../../clients/create-client.ts'
import type { CallLimits } from '../../clients/call-limits.ts'
import type { Client } from '../../clients/client.ts'
import { requireAccess } from '../front-door/access.ts'
import { CLIENT_ACTIONS } from '../front-door/client-actions.ts'
import {
  NO_INPUT,
  runAction,
  runAsOperator,
  type ActionInput,
  type ActionParts,
  type ClientAction,
  type Names,
} from '../front-door/run-action.ts'
import type { Rule } from '../../validation/rules.ts'
import type { ClientPresenter } from './add-client-state.ts'
import type { AnswerName } from './answer-schemas.ts'
import { BODIES } from './body-schemas.ts'
import type { ServiceCode } from './openapi-codes.ts'
import { route, type Route } from './route.ts'

type RouteNames = Names & { body: keyof typeof BODIES; answer: AnswerName; error: ServiceCode }

const ACTIONS: readonly ClientAction<RouteNames>[] = Object.values(CLIENT_ACTIONS)

const INVALID = ['ERR_INVALID_ARGUMENT'] as const

interface ActionRouteParts {
  readonly parts: ActionParts
  readonly presenter: ClientPresenter
}

/** What differs between the routes of API keys and the routes of applications. */
export interface RouteKind<C extends Client = Client> {
  readonly kind: C['kind']
  readonly permissions: 'keys' | 'applications'
  /** As operation ids and names of schemas contain it. */
  readonly name: 'ApiKey' | 'Application'
  /** `an API key` */
  readonly article: string
  /** The path of a client. */
  readonly one: string
  /** What all routes of a client have in common. */
  readonly common: Pick<Route<undefined, undefined, C>, 'tag' | 'find' | 'target'>
}

/** The routes of the actions of an owner. */
export function actionRoutes<C extends Client>(
  { kind, permissions, name, article, one, common }: RouteKind<C>,
  { parts, presenter: { sendClient } }: ActionRouteParts,
): Route[] {
  return ACTIONS.flatMap((action) => {
    const {
      act,
      route: [place, id],
      alsoNeeds,
      summary = '',
      description,
      errors = [],
      answer = name,
      location,
    } = action
    if (!act || !id) return []
    const isChange = answer === name
    return route<ActionInput, undefined, C>({
      ...common,
      ...placeOf(place, one),
      operationId: id.replace('*', name),
      summary: summary.replace('{client}', article),
      description: typeof description === 'object' ? description[kind] : description,
      access: `${permissions}:${act}`,
      confirms: action.confirms?.[kind],
      body: bodyOf<ActionInput>(action),
      errors: [...errors, ...(action.isConfidential && kind === 'application' ? INVALID : [])],
      isConditional: action.isConditional ?? isChange,
      isRepeatable: location !== undefined,
      status: answer === null ? 204 : location === undefined ? 200 : 201,
      answer: answer ?? undefined,
      documentsEtag: isChange,
      async check(call) {
        const further = alsoNeeds?.(call.body)
        if (further) await requireAccess(call, `${permissions}:${further}`)
      },
      async handle({ ctx, resource, params, body, caller, change }) {
        if (location !== undefined) ctx.set('Location', location)
        const input = { ...NO_INPUT, ...params, ...body, ...(location !== undefined && repeatOptionsOf(ctx)) }
        const result = await runAction(action, resource, { parts, caller, change, input })
        return isChange ? sendClient(ctx, result as C) : result
      },
    })
  })
}

/** The routes of the actions of operators. @param part only those that belong to this optional part */
export function operatorActionRoutes(
  { parts, presenter: { sendClient } }: ActionRouteParts,
  part?: ClientAction['part'],
): Route[] {
  return ACTIONS.flatMap((action) => {
    const {
      route: [place, ownId, id],
      description,
      isConfidential,
      answer,
    } = action
    if (!id || action.part !== part) return []
    // No other action of operators has a body.
    const body = bodyOf<CallLimits>(action)
    return route<CallLimits | undefined>({
      tag: 'Operators',
      access: 'operator',
      ...placeOf(place, '/operator/clients/{clientId}'),
      operationId: id,
      summary: action.operatorSummary ?? '',
      description: ownId || typeof description === 'object' ? undefined : description,
      body,
      errors: ['ERR_NOT_FOUND', ...(isConfidential || body ? INVALID : [])],
      status: answer ? 200 : 204,
      answer: answer ?? undefined,
      async handle({ ctx, params: { clientId = '' }, body, caller, change }) {
        const input = { ...NO_INPUT, limits: body ?? null }
        const result = await runAsOperator(action, clientId, { parts, caller, change, input })
        return answer === 'Client' ? sendClient(ctx, result as Client) : result
      },
    })
  })
}

function placeOf(methodAndPath: string, base: string): Pick<Route, 'method' | 'path'> {
  const [method, path = ''] = methodAndPath.split(' ')
  return { method: method as Route['method'], path: base + path }
}

function bodyOf<Body>({ body }: Pick<ClientAction<RouteNames>, 'body'>): Rule<Body> | undefined {
  return body && (BODIES[body] as Rule as Rule<Body>)
}

/** The option that makes a change repeatable, from the header of a request. */
export function repeatOptionsOf({ headers }: Context): CreationOptions {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { idempotencyKey: String(key) }
}
