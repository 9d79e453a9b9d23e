import type { Client, ClientChanges } from '../../clients/client.ts'
import type { CreationOptions } from '../../clients/create-client.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { createAccessPreview } from './catalog-routes.ts'
import { requireAccess, type Caller } from '../front-door/access.ts'
import { actOf, ownerOfNew } from '../front-door/key-limits.ts'
import type { ActionParts } from '../front-door/run-action.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import { route, type Route } from './route.ts'
import { actionRoutes, repeatOptionsOf, type RouteKind } from './action-routes.ts'
import { QUERIES } from './query-schemas.ts'
import type { ClientPresenter } from './add-client-state.ts'
import type { Fields, Rule } from '../../validation/rules.ts'
import { ifUnchanged } from '../../clients/client-etag.ts'

/** The products and operations that are chosen for a new client. */
interface Chosen {
  readonly products?: readonly string[] | undefined
  readonly removedOperations?: readonly string[] | undefined
}

const KINDS = {
  apiKey: {
    base: '/api-keys',
    permissions: 'keys',
    name: 'ApiKey',
    article: 'an API key',
    tag: 'API keys',
    secret: 'With `jwks`, the key has no secret.',
  },
  application: {
    base: '/applications',
    permissions: 'applications',
    name: 'Application',
    article: 'an application',
    tag: 'Applications',
    secret: 'With `isPublic` or `jwks`, the application has no secret.',
  },
} as const

/** What differs between the routes of API keys and the routes of applications. */
interface ClientRoutesOptions<C extends Client, New extends Chosen, Changes extends ClientChanges> {
  readonly kind: C['kind']
  readonly service: ClientService<C, string, string, Changes> & {
    /** Creates a client of an account. */
    create(
      input: New & Awaited<ReturnType<typeof ownerOfNew>> & ChangeOptions,
      options: CreationOptions,
    ): Promise<Created<C>>
  }
  readonly newClient: Rule<New>
  readonly changes: Rule<Changes>
  /** The rules of the service for the values of a new client, and of changes. */
  readonly rules: { readonly newClient: (input: unknown) => Fields; readonly changes: Fields }
  readonly parts: ActionParts
  readonly presenter: ClientPresenter
  readonly previewAccess: ReturnType<typeof createAccessPreview>
}

/** A new client, in a property with the name of its kind, and its secret, if it has one. */
type Created<C extends Client> = { readonly [Kind in C['kind']]: C } & {
  readonly clientSecret: string | undefined
}

/** The routes that API keys and applications have in common. */
export function clientRoutes<C extends Client, New extends Chosen, Changes extends ClientChanges>(
  options: ClientRoutesOptions<C, New, Changes>,
): Route[] {
  const { service, kind, newClient, changes, rules, parts, presenter } = options
  const { presentPage, sendClient } = presenter
  const { base, permissions, name, article, tag, secret } = KINDS[kind]
  const one = `${base}/{clientId}`
  const common = {
    tag,
    find: ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>) =>
      service.findOwn(accountId, clientId),
    target: (client: C) => client,
  }
  const read = { ...common, method: 'get', access: `${permissions}:read`, status: 200 } as const
  const described: RouteKind<C> = { kind, permissions, name, article, one, common }

  return [
    route({
      method: 'get',
      path: base,
      operationId: `list${name}s`,
      tag,
      summary: `List the ${tag.replace('App', 'app')} of the account`,
      access: `${permissions}:read`,
      query: QUERIES.client,
      errors: ['ERR_INVALID_ARGUMENT'],
      status: 200,
      answer: `${name}Page`,
      handle: async ({ caller, query }) => presentPage(await service.listByOwner(caller.accountId, query)),
    }),
    route<New>({
      method: 'post',
      path: base,
      operationId: `create${name}`,
      tag,
      summary: `Create ${article}`,
      description: `Only this answer has the secret. ${secret}`,
      access: `${permissions}:create`,
      confirms: `${permissions}:create`,
      body: newClient,
      rules: rules.newClient,
      errors: ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE', 'ERR_TOO_MANY_CLIENTS'],
      isRepeatable: true,
      status: 201,
      answer: `Created${name}`,
      async handle({ ctx, caller, body, change }) {
        const input = { ...body, ...(await ownerOfNew(parts, caller, kind, body)), ...change }
        const { [kind]: client, clientSecret } = await service.create(input, repeatOptionsOf(ctx))
        ctx.set('Location', `${base.slice(1)}/${client.clientId}`)
        return { [kind]: await sendClient(ctx, client), clientSecret }
      },
    }),
    route<undefined, undefined, C>({
      ...read,
      path: one,
      operationId: `get${name}`,
      summary: `Read ${article}`,
      answer: name,
      documentsEtag: true,
      handle: async ({ ctx, resource }) => sendClient(ctx, resource),
    }),
    route<undefined, undefined, C>({
      ...read,
      path: `${one}/access`,
      operationId: `preview${name}Access`,
      summary: `What ${article} may call, and what it lacks for the other operations`,
      answer: 'AccessPreview',
      handle: options.previewAccess,
    }),
    route<Changes, undefined, C>({
      ...common,
      method: 'patch',
      path: one,
      operationId: `update${name}`,
      summary: `Change the fields of ${article}`,
      description: 'A field that is left out stays as it is.',
      access: `${permissions}:write`,
      body: changes,
      rules: () => rules.changes,
      errors: ['ERR_INVALID_ARGUMENT'],
      isConditional: true,
      status: 200,
      answer: name,
      documentsEtag: true,
      async handle(call) {
        const { ctx, resource, body, change } = call
        await requireAccess(call, `${permissions}:${actOf(resource, body)}`)
        const isLimited = body.expiresAt !== undefined || body.allowedAddresses !== undefined
        const checked = isLimited ? ifUnchanged(change, resource) : change
        return sendClient(ctx, await service.update(resource.clientId, body, checked))
      },
    }),
    ...actionRoutes(described, options),
  ]
}
