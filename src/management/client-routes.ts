import type { Context } from 'koa'
import * as v from 'valibot'
import type { Client } from '../clients/client.ts'
import type { ClientService, CreationOptions } from '../clients/client-service-types.ts'
import type { createAccessPreview } from './catalog-routes.ts'
import type { SecretAge } from '../clients/secret-rotation.ts'
import type { Caller } from '../front-door/enter.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import { route, type Call, type Route } from './route.ts'
import {
  Rotation,
  ApiKeyChanges,
  ApplicationChanges,
  NewApiKey,
  NewApplication,
  PageQuery,
  type SchemaName,
} from './schemas.ts'
import { presentPage, sendClient } from './present-client.ts'
import type { ApiKeys } from '../clients/api-keys.ts'
import type { Applications } from '../clients/applications.ts'
import { PAGE_LIMIT } from '../store/page-limit.ts'

/** What differs between the routes of API keys and the routes of applications. */
interface ClientRoutesOptions<C extends Client, New, Changes extends { name?: string | undefined }> {
  readonly service: ClientService<C, string, string, Changes> & {
    /** Creates a client of an account. */
    create(input: New & Owner & ChangeOptions, options: CreationOptions): Promise<Created<C>>
  }
  readonly kind: C['kind']
  /** The path of the list. */
  readonly base: '/api-keys' | '/applications'
  readonly permissions: 'keys' | 'applications'
  /** The kind in names of operations and schemas. */
  readonly name: 'ApiKey' | 'Application'
  readonly newClient: v.GenericSchema<unknown, New>
  readonly changes: v.GenericSchema<unknown, Changes>
  readonly previewAccess: PreviewAccess
}

/** A new client, under its kind. */
type Created<C extends Client> = { readonly [Kind in C['kind']]: C } & { readonly clientSecret: string }

/** Whose a new client is. */
interface Owner {
  readonly accountId: string
  readonly userId: string | undefined
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
]

/** The changes without a body: the path below the client, the two parts of the operation id, and the function. */
// prettier-ignore
const CHANGES: readonly Change[] = [
  ['put', '/products/{product}', 'add', 'Product', 'Add a product with all its operations', 'addProduct'],
  ['delete', '/products/{product}', 'remove', 'Product', 'Remove a product, and revoke the tokens issued so far', 'removeProduct'],
  ['delete', '/operations/{scope}', 'remove', 'Operation', 'Remove one operation, and revoke the tokens issued so far', 'removeOperation'],
  ['put', '/operations/{scope}', 'restore', 'Operation', 'Restore an operation that was removed', 'restoreOperation'],
  ['post', '/disable', 'disable', '', 'Disable {client}, and revoke its tokens', 'disable'],
  ['post', '/enable', 'enable', '', 'Enable {client} that was disabled', 'enable'],
]

/** The routes that API keys and applications have in common. */
function clientRoutes<C extends Client, New, Changes extends { name?: string | undefined }>(
  options: ClientRoutesOptions<C, New, Changes>,
): Route[] {
  const { service, kind, base, permissions, name, newClient, changes, previewAccess } = options
  const one = `${base}/{clientId}` as const
  const plural = `${name}s`
  const [article, tag] = name === 'ApiKey' ? ['an API key', 'API keys'] : ['an application', 'Applications']
  const answer = name satisfies SchemaName

  const find = ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>) =>
    service.findOwn(accountId, clientId)
  const common = { tag, find, target: ({ clientId }: C) => ({ clientId }) }
  const changed = { ...common, status: 200, answer, documentsEtag: true, isConditional: true } as const

  /** A route that changes a client and answers with the changed client. */
  function change<Body = undefined>(
    definition: Pick<Route<Body>, 'method' | 'path' | 'operationId' | 'summary' | 'body' | 'description'>,
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
      summary: `List the ${tag} of the account, in order of creation`.replace('Applications', 'applications'),
      description: `With \`name\`, a page has only the clients with exactly this name among the next ${PAGE_LIMIT.max} clients. So it may be empty although there is a next page.`,
      access: `${permissions}:read`,
      query: v.strictObject({ ...PageQuery.entries, name: v.optional(v.string()) }),
      status: 200,
      answer: `${name}Page`,
      async handle({ caller, query: { name: wanted, cursor, limit } }) {
        const size = wanted === undefined ? limit : PAGE_LIMIT.max
        const page = await service.listByOwner(caller.accountId, { cursor, limit: size })
        const items = page.items.filter((client) => wanted === undefined || client.name === wanted)
        return presentPage({ items, cursor: page.cursor })
      },
    }),
    route<New>({
      method: 'post',
      path: base,
      operationId: `create${name}`,
      tag,
      summary: `Create ${article}`,
      description: 'Only this answer has the secret.',
      access: `${permissions}:create`,
      body: newClient,
      isRepeatable: true,
      status: 201,
      answer: `Created${name}`,
      async handle({ ctx, caller: { accountId, userId }, body, change: changeOptions }) {
        const input = { ...body, accountId, userId, ...changeOptions }
        const { [kind]: client, clientSecret } = await service.create(input, repeatOptionsOf(ctx))
        return { [kind]: sendClient(ctx, client), clientSecret }
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
      handle: previewAccess,
    }),
    change<Changes>(
      {
        method: 'patch',
        path: one,
        operationId: `update${name}`,
        summary: `Change the fields of ${article}`,
        description: 'A field that is left out stays as it is.',
        body: changes,
      },
      ({ resource, body, change: changeOptions }) => service.update(resource.clientId, body, changeOptions),
    ),
    route<undefined, undefined, C>({
      ...common,
      method: 'delete',
      path: one,
      operationId: `delete${name}`,
      summary: `Delete ${article} for good, and revoke its tokens`,
      description: 'A repeat gets 404, like any unknown id.',
      access: `${permissions}:delete`,
      isConditional: true,
      status: 204,
      handle: ({ resource, change: changeOptions }) => service.delete(resource.clientId, changeOptions),
    }),
    ...CHANGES.map(([method, path, verb, thing, summary, apply]) =>
      change(
        {
          method,
          path: one + path,
          operationId: `${verb}${name}${thing}`,
          summary: summary.replace('{client}', article),
        },
        ({ resource, params, change: changeOptions }) =>
          apply === 'disable' || apply === 'enable'
            ? service[apply](resource.clientId, changeOptions)
            : service[apply](resource.clientId, params['product'] ?? params['scope'] ?? '', changeOptions),
      ),
    ),
    route<undefined, undefined, C>({
      ...common,
      method: 'post',
      path: `${one}/report-compromised`,
      operationId: `report${name}Compromised`,
      summary: 'Revoke all secrets and all access tokens, because a secret leaked',
      description: 'The client gets no tokens until its secret is rotated.',
      access: `${permissions}:write`,
      status: 204,
      handle: ({ resource, change: changeOptions }) =>
        service.reportCompromised(resource.clientId, changeOptions),
    }),
    route<undefined, undefined, C>({
      ...common,
      method: 'get',
      path: `${one}/secrets`,
      operationId: `list${name}Secrets`,
      summary: 'List the valid secrets, newest first, without the secrets themselves',
      access: `${permissions}:read`,
      status: 200,
      answer: 'SecretList',
      handle: async ({ resource }) => ({ items: await service.listSecrets(resource.clientId) }),
    }),
    route<v.InferOutput<typeof Rotation>, undefined, C>({
      ...common,
      method: 'post',
      path: `${one}/secrets`,
      operationId: `rotate${name}Secret`,
      summary: 'Create a new secret; the old secret stays valid for a while',
      description:
        'Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.',
      access: `${permissions}:rotate`,
      body: Rotation,
      isRepeatable: true,
      status: 201,
      answer: 'RotatedSecret',
      handle: ({ ctx, resource, body, change: changeOptions }) =>
        service.rotateSecret(resource.clientId, { ...body, ...changeOptions, ...repeatOptionsOf(ctx) }),
    }),
    ...(['old', 'new'] satisfies SecretAge[]).map((which) =>
      route<undefined, undefined, C>({
        ...common,
        method: 'delete',
        path: `${one}/secrets/${which}`,
        operationId: `revoke${which === 'old' ? 'Old' : 'New'}${name}Secret`,
        summary:
          which === 'old'
            ? 'Revoke the old one of two valid secrets'
            : 'Undo a rotation: revoke the new one of two valid secrets',
        access: `${permissions}:rotate`,
        status: 204,
        handle: ({ resource, change: changeOptions }) =>
          service.revokeSecret(resource.clientId, which, changeOptions),
      }),
    ),
  ]
}

/** The option that makes a change repeatable, from the header of a request. */
function repeatOptionsOf({ headers }: Context): CreationOptions {
  const key = headers['idempotency-key']
  return key === undefined ? {} : { idempotencyKey: String(key) }
}

type PreviewAccess = ReturnType<typeof createAccessPreview>

/** The routes of the caller's API keys. */
export function apiKeyRoutes(service: ApiKeys, previewAccess: PreviewAccess): Route[] {
  return clientRoutes({
    service,
    previewAccess,
    kind: 'apiKey',
    base: '/api-keys',
    permissions: 'keys',
    name: 'ApiKey',
    newClient: NewApiKey,
    changes: ApiKeyChanges,
  })
}

/** The routes of the caller's applications. */
export function applicationRoutes(service: Applications, previewAccess: PreviewAccess): Route[] {
  return clientRoutes({
    service,
    previewAccess,
    kind: 'application',
    base: '/applications',
    permissions: 'applications',
    name: 'Application',
    newClient: NewApplication,
    changes: ApplicationChanges,
  })
}
