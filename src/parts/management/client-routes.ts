import type { Client, NewApiKey } from '../../clients/client.ts'
import { creationRules } from '../../clients/rules-from-fields.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { requireAccess, type Caller } from '../front-door/access.ts'
import { onlyOperatorsCreate, ownerOfNew, rightTo } from '../front-door/permissions-on-clients.ts'
import { BODIES } from './body-schemas.ts'
import { createAccessPreview } from './catalog-routes.ts'
import { ownerActionRoutes } from './client-action-routes.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { QUERIES } from './query-schemas.ts'
import { repeatOptionsOf, route, type Route } from './route.ts'

const ROUTES_OF_KIND = {
  apiKey: {
    base: '/api-keys',
    name: 'ApiKey',
    article: 'an API key',
    tag: 'API keys',
    secret: 'With `jwks`, the key has no secret.',
  },
  application: {
    base: '/applications',
    name: 'Application',
    article: 'an application',
    tag: 'Applications',
    secret: 'With `isPublic` or `jwks`, the application has no secret.',
  },
} as const

/** The routes that list, create and read API keys, or applications; those of another account get 404. */
export function clientRoutes(kind: Client['kind'], parts: Internals, presenter: ClientPresenter): Route[] {
  const { apiKeys, applications, catalog, keyPolicy } = parts
  const { presentPage, sendClient } = presenter
  const service = kind === 'apiKey' ? apiKeys : applications
  const { base, name, article, tag, secret } = ROUTES_OF_KIND[kind]
  const ofClient = {
    tag,
    find: ({ accountId }: Caller, { clientId = '' }: Readonly<Record<string, string>>): Promise<Client> =>
      service.findOwn(accountId, clientId),
    target: (client: Client) => client,
  }
  const path = `${base}/{clientId}` as const
  const read = { ...ofClient, access: rightTo('read', kind) }

  return [
    route({
      path: `get ${base}`,
      operationId: `list${name}s`,
      tag,
      summary: `List the ${tag.replace('App', 'app')} of the account`,
      access: rightTo('read', kind),
      query: QUERIES.client,
      errors: ['ERR_INVALID_ARGUMENT'],
      answer: `${name}Page`,
      handle: async ({ caller, query }) => presentPage(await service.listByOwner(caller.accountId, query)),
    }),
    route({
      path: `post ${base}`,
      operationId: `create${name}`,
      tag,
      summary: `Create ${article}`,
      description: `Only this answer has the secret. ${secret}`,
      access: rightTo('create', kind),
      async check(call) {
        if (onlyOperatorsCreate(call.body as NewApiKey)) await requireAccess(call, 'operator')
      },
      confirms: rightTo('create', kind),
      body: BODIES[`New${name}`],
      rules: (body) => creationRules({ kind, input: Object(body), catalog: catalog.current, keyPolicy }),
      errors: ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE', 'ERR_TOO_MANY_CLIENTS'],
      isRepeatable: true,
      answer: `Created${name}`,
      async handle({ ctx, caller, body, change }) {
        const input = { ...body, ...(await ownerOfNew(parts, caller, kind, body)), ...change }
        const options = repeatOptionsOf(ctx)
        const { clientSecret, ...created } =
          kind === 'apiKey' ? await apiKeys.create(input, options) : await applications.create(input, options)
        const client = 'apiKey' in created ? created.apiKey : created.application
        ctx.set('Location', `${base.slice(1)}/${client.clientId}`)
        return { [kind]: await sendClient(ctx, client), clientSecret }
      },
    }),
    route<undefined, undefined, Client>({
      ...read,
      path: `get ${path}`,
      operationId: `get${name}`,
      summary: `Read ${article}`,
      answer: name,
      documentsEtag: true,
      handle: async ({ ctx, resource }) => sendClient(ctx, resource),
    }),
    route<undefined, undefined, Client>({
      ...read,
      path: `get ${path}/access`,
      operationId: `preview${name}Access`,
      summary: `What ${article} may call, and what it lacks for the other operations`,
      answer: 'AccessPreview',
      handle: createAccessPreview(parts),
    }),
    ...ownerActionRoutes({ kind, name, article, path, ofClient }, parts, presenter),
  ]
}
