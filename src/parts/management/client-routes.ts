import type { Client, ClientChanges } from '../../clients/client.ts'
import type { CreationOptions } from '../../clients/client-inputs.ts'
import type { ClientService } from '../../clients/client-service-types.ts'
import type { createAccessPreview } from './catalog-routes.ts'
import { requireAccess, type Caller } from '../front-door/access.ts'
import { operationsBeyond, ownerOfNew, requireOperation } from '../front-door/grantable-operations.ts'
import { actOf } from '../front-door/key-limits.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import { route, type Call, type Route } from './route.ts'
import { credentialRoutes, errorsOfPublic, repeatOptionsOf } from './credential-routes.ts'
import { QUERIES } from './query-schemas.ts'
import { BODIES } from './body-schemas.ts'
import type { AnswerName } from './answer-schemas.ts'
import type { ClientPresenter } from './add-client-state.ts'
import type { Fields, Rule, ValueOf } from '../../validation/rules.ts'
import { ifUnchanged } from '../../clients/if-match.ts'
import type { ServiceCode } from './openapi-codes.ts'

/** The products and operations that are chosen for a new client. */
interface Chosen {
  readonly products?: readonly string[] | undefined
  readonly removedOperations?: readonly string[] | undefined
}

/** What differs between the routes of API keys and the routes of applications. */
interface ClientRoutesOptions<C extends Client, New extends Chosen, Changes extends ClientChanges> {
  readonly service: ClientService<C, string, string, Changes> & {
    /** Creates a client of an account. */
    create(input: New & Owner & ChangeOptions, options: CreationOptions): Promise<Created<C>>
  }
  readonly kind: C['kind']
  /** The path of the list. */
  readonly base: '/api-keys' | '/applications'
  readonly permissions: 'keys' | 'applications'
  /** The name of the kind, as operation ids and names of schemas contain it. */
  readonly name: 'ApiKey' | 'Application'
  readonly newClient: Rule<New>
  readonly changes: Rule<Changes>
  /** The rules of the service for the values of a new client, and of changes. */
  readonly rules: { readonly newClient: (input: unknown) => Fields; readonly changes: Fields }
  readonly parts: ClientRouteParts
}

/** What the routes of both kinds need. */
export interface ClientRouteParts extends Pick<Internals, 'accounts' | 'catalog'> {
  readonly previewAccess: ReturnType<typeof createAccessPreview>
  readonly presenter: ClientPresenter
}

/** A new client, in a property with the name of its kind, and its secret, if it has one. */
type Created<C extends Client> = { readonly [Kind in C['kind']]: C } & {
  readonly clientSecret: string | undefined
}

/** The owner of a new client. */
interface Owner {
  readonly accountId: string
  readonly userId: string | undefined
  readonly createdBy: string | undefined
}

type Change = readonly [
  method: 'put' | 'post' | 'delete',
  path: string,
  verb: string,
  thing: string,
  summary: string,
  apply: Extract<
    keyof ClientService<Client, string, string>,
    'addProduct' | 'removeProduct' | 'removeOperation' | 'restoreOperation' | 'disable' | 'enable'
  >,
  act: 'give' | 'write',
]

/** The changes without a body: the path below the client, the two parts of the operation id, and the function. */
// prettier-ignore
const CHANGES: readonly Change[] = [
  ['put', '/products/{product}', 'add', 'Product', 'Add a product with all its operations', 'addProduct', 'give'],
  ['delete', '/products/{product}', 'remove', 'Product', 'Remove a product, and revoke the tokens issued so far', 'removeProduct', 'write'],
  ['delete', '/operations/{scope}', 'remove', 'Operation', 'Remove one operation, and revoke the tokens issued so far', 'removeOperation', 'write'],
  ['put', '/operations/{scope}', 'restore', 'Operation', 'Restore an operation that was removed', 'restoreOperation', 'give'],
  ['post', '/disable', 'disable', '', 'Disable {client}, and revoke its tokens', 'disable', 'write'],
  ['post', '/enable', 'enable', '', 'Enable {client} that was disabled', 'enable', 'give'],
]

/** The routes that API keys and applications have in common. */
export function clientRoutes<C extends Client, New extends Chosen, Changes extends ClientChanges>(
  options: ClientRoutesOptions<C, New, Changes>,
): Route[] {
  const { service, kind, base, permissions, name, newClient, changes, rules, parts } = options
  const { presentPage, sendClient } = parts.presenter
  const one = `${base}/{clientId}` as const
  const plural = `${name}s`
  const [article, tag] = name === 'ApiKey' ? ['an API key', 'API keys'] : ['an application', 'Applications']
  const answer = name satisfies AnswerName

  const find = ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>) =>
    service.findOwn(accountId, clientId)
  const common = { tag, find, target: (client: C) => client }
  const changed = { ...common, status: 200, answer, documentsEtag: true, isConditional: true } as const

  /** A route that changes a client and answers with the changed client. */
  function change<Body = undefined>(
    definition: Pick<Route<Body, undefined, C>, 'method' | 'path' | 'operationId' | 'summary'> &
      Partial<Route<Body, undefined, C>>,
    apply: (call: Call<Body, undefined, C>) => Promise<C>,
  ): Route {
    return route<Body, undefined, C>({
      ...changed,
      access: `${permissions}:write`,
      ...definition,
      handle: async (call) => sendClient(call.ctx, await apply(call)),
    })
  }

  return [
    route({
      method: 'get',
      path: base,
      operationId: `list${plural}`,
      tag,
      summary: `List the ${tag} of the account`.replace('Applications', 'applications'),
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
      description:
        name === 'ApiKey'
          ? 'Only this answer has the secret. With `jwks`, the key has no secret.'
          : 'Only this answer has the secret. With `isPublic` or `jwks`, the application has no secret.',
      access: `${permissions}:create`,
      confirms: `${permissions}:create`,
      body: newClient,
      rules: rules.newClient,
      errors: ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE', 'ERR_TOO_MANY_CLIENTS'],
      isRepeatable: true,
      status: 201,
      answer: `Created${name}`,
      async handle({ ctx, caller, body, change: changeOptions }) {
        const owner = ownerOfNew(parts, caller)
        const { products = [], removedOperations = [] } = body
        const beyond = await operationsBeyond(parts, caller, kind, products)
        const removed = { removedOperations: [...new Set([...removedOperations, ...beyond])] }
        const input = { ...body, ...removed, ...owner, ...changeOptions }
        const { [kind]: client, clientSecret } = await service.create(input, repeatOptionsOf(ctx))
        ctx.set('Location', `${base.slice(1)}/${client.clientId}`)
        return { [kind]: await sendClient(ctx, client), clientSecret }
      },
    }),
    route<undefined, undefined, C>({
      ...common,
      method: 'get',
      path: one,
      operationId: `get${name}`,
      summary: `Read ${article}`,
      access: `${permissions}:read`,
      status: 200,
      answer,
      documentsEtag: true,
      handle: async ({ ctx, resource }) => sendClient(ctx, resource),
    }),
    route<undefined, undefined, C>({
      ...common,
      method: 'get',
      path: `${one}/access`,
      operationId: `preview${name}Access`,
      summary: `What ${article} may call, and what it lacks for the other operations`,
      access: `${permissions}:read`,
      status: 200,
      answer: 'AccessPreview',
      handle: parts.previewAccess,
    }),
    change<Changes>(
      {
        method: 'patch',
        path: one,
        operationId: `update${name}`,
        summary: `Change the fields of ${article}`,
        description: 'A field that is left out stays as it is.',
        body: changes,
        rules: () => rules.changes,
        errors: ['ERR_INVALID_ARGUMENT'],
      },
      async (call) => {
        const { resource, body, change: options } = call
        await requireAccess(call, `${permissions}:${actOf(resource, body)}`)
        const isLimited = body.expiresAt !== undefined || body.allowedAddresses !== undefined
        return service.update(resource.clientId, body, isLimited ? ifUnchanged(options, resource) : options)
      },
    ),
    route<undefined, undefined, C>({
      ...common,
      method: 'delete',
      path: one,
      operationId: `delete${name}`,
      summary: `Delete ${article} for good, and revoke its tokens`,
      description: 'A repeat gets 404, like any unknown id.',
      access: `${permissions}:delete`,
      confirms: `${permissions}:delete`,
      isConditional: true,
      status: 204,
      handle: ({ resource, change: changeOptions }) => service.delete(resource.clientId, changeOptions),
    }),
    ...CHANGES.map(([method, path, verb, thing, summary, apply, act]) =>
      change(
        {
          method,
          path: one + path,
          access: `${permissions}:${act}`,
          operationId: `${verb}${name}${thing}`,
          summary: summary.replace('{client}', article),
          errors: verb === 'enable' ? ['ERR_DISABLED_BY_OPERATOR'] : errorsOf(method, thing),
        },
        async ({ resource, caller, params, change: changeOptions }) => {
          const { clientId } = resource
          if (apply === 'disable' || apply === 'enable') return service[apply](clientId, changeOptions)
          const { product = '', scope = '' } = params
          if (apply === 'restoreOperation') await requireOperation(parts, caller, resource, scope)
          if (apply !== 'addProduct') return service[apply](clientId, product || scope, changeOptions)
          const removedOperations = await operationsBeyond(parts, caller, kind, [product])
          return service.addProduct(clientId, product, { ...changeOptions, removedOperations })
        },
      ),
    ),
    change<ValueOf<typeof BODIES.NewOwner>>(
      {
        method: 'put',
        path: `${one}/owner`,
        operationId: `handOver${name}`,
        summary: `Give ${article} to a user of the account, or to the account itself`,
        description:
          name === 'ApiKey'
            ? 'The tokens issued so far are revoked, because they act as the present owner. If a user gets the key, all its public keys are removed and all its secrets are revoked. The secrets stay valid if each of them was shown to this user only. If the account gets the key, secrets and public keys stay valid, and the caller must be allowed to use all operations of the key.'
            : 'The secrets stay valid.',
        access: `${permissions}:handOver`,
        async check(call) {
          if (call.body.userId === null) await requireAccess(call, `${permissions}:handToAccount`)
        },
        confirms: kind === 'apiKey' ? 'keys:rotate' : undefined,
        body: BODIES.NewOwner,
        errors: ['ERR_INVALID_ARGUMENT'],
      },
      ({ resource, body, change: changeOptions }) =>
        service.handOver(resource.clientId, body.userId, {
          ...ifUnchanged(changeOptions, resource),
          protectNewOwner: true,
        }),
    ),
    route<undefined, undefined, C>({
      ...common,
      method: 'post',
      path: `${one}/report-compromised`,
      operationId: `report${name}Compromised`,
      summary: 'Revoke all secrets, public keys and access tokens, because a secret or private key leaked',
      description: 'The client gets no tokens until its secret is rotated, or a key is added.',
      access: `${permissions}:report`,
      errors: errorsOfPublic(name),
      status: 204,
      handle: ({ resource, change: changeOptions }) =>
        service.reportCompromised(resource.clientId, changeOptions),
    }),
    ...credentialRoutes({ service, permissions, name, one, common, sendClient }),
  ]
}

/** The errors of a change of products or operations. Only a change that adds scopes can make a token too large. */
function errorsOf(method: Route['method'], thing: string): ServiceCode[] {
  if (thing === '') return []
  return method === 'put' ? ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE'] : ['ERR_INVALID_ARGUMENT']
}
