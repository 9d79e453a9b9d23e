import type { Client } from '../../clients/client.ts'
import { changeRules } from '../../clients/rules-from-fields.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { requireAccess } from '../front-door/access.ts'
import type { ActionInput, ClientAction, Names } from '../front-door/client-action-types.ts'
import { CLIENT_ACTIONS } from '../front-door/client-actions.ts'
import { rightTo } from '../front-door/permissions-on-clients.ts'
import { NO_INPUT, runAction, runAsOperator } from '../front-door/run-client-action.ts'
import type { AnswerName } from './answer-schemas.ts'
import { BODIES } from './body-schemas.ts'
import type { ServiceCode } from './openapi-codes.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { repeatOptionsOf, route, type Call, type Route } from './route.ts'

type RouteNames = Names & { body: keyof typeof BODIES; answer: AnswerName; error: ServiceCode }

const ACTIONS: readonly ClientAction<RouteNames>[] = Object.values(CLIENT_ACTIONS)

const INVALID = ['ERR_INVALID_ARGUMENT'] as const

/** What the routes of a kind of clients have in common. */
export interface RoutesOfKind {
  readonly kind: Client['kind']
  /** As operation ids and names of schemas contain it. */
  readonly name: 'ApiKey' | 'Application'
  /** `an API key` */
  readonly article: string
  /** Of one client. */
  readonly path: string
  readonly ofClient: Pick<Route<undefined, undefined, Client>, 'tag' | 'find' | 'target'>
}

/** The routes of the actions of owners, from the table of actions. */
export function ownerActionRoutes(
  { kind, name, article, path, ofClient }: RoutesOfKind,
  parts: Internals,
  { sendClient }: ClientPresenter,
): Route[] {
  return ACTIONS.flatMap((action) => {
    const { owner, needsCredentials } = action
    if (!owner) return []
    const { alsoNeeds, description, body, answer = 'changedClient', errors = [], location } = owner
    const isChange = answer === 'changedClient'
    const isNew = location !== undefined
    return route<object | undefined, undefined, Client>({
      ...ofClient,
      path: below(action.path, path),
      operationId: owner.operationId.replace('*', name),
      summary: owner.summary.replace('{client}', article),
      description: typeof description === 'object' ? description[kind] : description,
      access: rightTo(owner.act, kind),
      confirms: owner.freshSignIn?.[kind],
      body: body && BODIES[body === '*Changes' ? (`${name}Changes` as const) : body],
      rules: body === '*Changes' ? () => changeRules(kind, parts.keyPolicy) : undefined,
      errors: [...errors, ...(needsCredentials && kind === 'application' ? INVALID : [])],
      isConditional: owner.isConditional ?? isChange,
      isRepeatable: isNew,
      answer: isChange ? name : answer === 'none' ? undefined : answer,
      documentsEtag: isChange,
      async check(call) {
        const further = alsoNeeds?.(inputOf(call), call.resource)
        if (further) await requireAccess(call, rightTo(further, kind))
      },
      async handle(call) {
        const { ctx, resource, caller, change } = call
        if (isNew) ctx.set('Location', location)
        const input = { ...inputOf(call), ...(isNew && repeatOptionsOf(ctx)) }
        const result = await runAction(action, resource, { parts, caller, change, input })
        return isChange ? sendClient(ctx, result as Client) : result
      },
    })
  })
}

/** @param part only the actions that belong to this optional part */
export function operatorActionRoutes(
  parts: Internals,
  { sendClient }: ClientPresenter,
  part?: ClientAction['part'],
): Route[] {
  return ACTIONS.flatMap((action) => {
    const { operator, path, needsCredentials } = action
    if (!operator || action.part !== part) return []
    const { operationId, summary, description, body, answer = 'changedClient' } = operator
    const isChange = answer === 'changedClient'
    return route<object | undefined>({
      tag: 'Operators',
      access: 'operator',
      path: below(path, '/operator/clients/{clientId}'),
      operationId,
      summary,
      description,
      body: body && BODIES[body],
      errors: ['ERR_NOT_FOUND', ...(needsCredentials || body ? INVALID : [])],
      answer: isChange ? 'Client' : answer === 'none' ? undefined : answer,
      async handle(call) {
        const { ctx, params, caller, change } = call
        const request = { parts, caller, change, input: inputOf(call) }
        const result = await runAsOperator(action, params['clientId'] ?? '', request)
        return isChange ? sendClient(ctx, result as Client) : result
      },
    })
  })
}

function below(path: ClientAction['path'], base: string) {
  return path.replace(' ', ` ${base}`) as ClientAction['path']
}

/** The changes and the limits are whole bodies. */
function inputOf({ params, body }: Pick<Call<object | undefined>, 'params' | 'body'>): ActionInput {
  return { ...NO_INPUT, ...params, ...body, changes: body ?? {}, limits: body ?? null }
}
