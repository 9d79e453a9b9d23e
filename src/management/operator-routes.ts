import type * as v from 'valibot'
import type { Client } from '../clients/client.ts'
import { clientNotFound } from '../clients/client-id.ts'
import type { Internals } from '../gatehouse/internals.ts'
import { GatehouseError } from '../errors.ts'
import { authorizationLists } from './authorization-routes.ts'
import { presentClient, sendClient } from './present-client.ts'
import { route, type Call, type Route } from './route.ts'
import { PageQuery, type SchemaName } from './schemas.ts'

type PageOptions = v.InferOutput<typeof PageQuery>

/** The routes of operators, who may read and revoke everything. */
export function operatorRoutes(parts: Internals): Route[] {
  const { apiKeys, applications, grants, tokens, signingKeys, accounts, health } = parts
  const common = { tag: 'Operators', access: 'operator' } as const
  const account = '/operator/accounts/{accountId}'
  const listAuthorizations = authorizationLists(grants, parts.registry)

  async function requireClient(clientId: string): Promise<Client> {
    const client = (await apiKeys.find(clientId)) ?? (await applications.find(clientId))
    if (!client) throw clientNotFound('API key or application', clientId)
    return client
  }

  /** A list of something that belongs to an account. */
  const list = (
    name: string,
    what: string,
    answer: SchemaName,
    read: (accountId: string, query: PageOptions) => Promise<object>,
  ) =>
    route<undefined, PageOptions>({
      ...common,
      method: 'get',
      path: `${account}/${name}`,
      operationId: `list${answer.replace('Page', 's')}OfAccount`,
      summary: `List ${what} of an account`,
      query: PageQuery,
      status: 200,
      answer,
      handle: ({ params, query }) => read(params['accountId'] ?? '', query),
    })

  /** A change without a body. */
  const change = (
    path: string,
    operationId: string,
    summary: string,
    apply: (call: Call<undefined, undefined, undefined>) => Promise<object>,
  ) =>
    route({
      ...common,
      method: 'post',
      path,
      operationId,
      summary,
      status: 200,
      answer: 'RevokedAccess',
      handle: apply,
    })

  return [
    route({
      ...common,
      method: 'get',
      path: '/operator/clients/{clientId}',
      operationId: 'getClient',
      summary: 'Read an API key or application of any account',
      status: 200,
      answer: 'Client',
      hasEtag: true,
      handle: async ({ ctx, params }) => sendClient(ctx, await requireClient(params['clientId'] ?? '')),
    }),
    change(
      '/operator/clients/{clientId}/revoke',
      'revokeClient',
      'Revoke all access tokens of a client; its secret stays valid',
      ({ params, change: options }) => tokens.revokeAll({ clientId: params['clientId'] ?? '' }, options),
    ),
    ...(['disable', 'enable', 'reportCompromised'] as const).map((name) =>
      route({
        ...common,
        method: 'post',
        path: `/operator/clients/{clientId}/${name === 'reportCompromised' ? 'report-compromised' : name}`,
        operationId: `${name}Client`,
        summary: SUMMARIES[name],
        status: 204,
        async handle({ params: { clientId = '' }, change: options }) {
          const { kind } = await requireClient(clientId)
          await (kind === 'apiKey' ? apiKeys : applications)[name](clientId, options)
        },
      }),
    ),
    route({
      ...common,
      method: 'get',
      path: account,
      operationId: 'getAccount',
      summary: 'Find an account by its exact id',
      status: 200,
      answer: 'Account',
      async handle({ params }) {
        const found = await accounts.find(params['accountId'] ?? '')
        if (!found) throw new GatehouseError('ERR_NOT_FOUND', 'there is no account with that id')
        return { accountId: found.id, kycLevel: found.kycLevel }
      },
    }),
    list('api-keys', 'the API keys', 'ApiKeyPage', async (accountId, query) =>
      presentPage(await apiKeys.listByOwner(accountId, query)),
    ),
    list('applications', 'the applications', 'ApplicationPage', async (accountId, query) =>
      presentPage(await applications.listByOwner(accountId, query)),
    ),
    list('authorizations', 'the authorizations', 'AuthorizationPage', (accountId, query) =>
      listAuthorizations({ accountId }, query),
    ),
    change(
      `${account}/revoke`,
      'revokeAccount',
      'Revoke all tokens of an account, and everything that it has authorized',
      ({ params, change: options }) => tokens.revokeAll({ accountId: params['accountId'] ?? '' }, options),
    ),
    change(
      `${account}/users/{userId}/revoke`,
      'revokeUser',
      'Revoke all tokens of the clients of a user, and everything that the user has authorized',
      ({ params: { accountId = '', userId = '' }, change: options }) =>
        tokens.revokeAll({ accountId, userId }, options),
    ),
    route({
      ...common,
      method: 'get',
      path: '/operator/signing-keys',
      operationId: 'listSigningKeys',
      summary: 'List the signing keys, without their private parts',
      status: 200,
      answer: 'SigningKeyList',
      handle: async () => ({ items: await signingKeys.list() }),
    }),
    route({
      ...common,
      method: 'post',
      path: '/operator/signing-keys/rotate',
      operationId: 'rotateSigningKeys',
      summary: 'Activate the next signing keys',
      status: 204,
      handle: ({ change: options }) => signingKeys.rotate(options),
    }),
    route({
      ...common,
      method: 'post',
      path: '/operator/signing-keys/{kid}/revoke',
      operationId: 'revokeSigningKey',
      summary: 'Revoke a leaked signing key, and all tokens that it has signed',
      status: 204,
      handle: ({ params, change: options }) => signingKeys.revoke(params['kid'] ?? '', options),
    }),
    route({
      ...common,
      method: 'get',
      path: '/operator/health',
      operationId: 'getHealth',
      summary: 'The health of the service',
      status: 200,
      answer: 'Health',
      handle: health,
    }),
  ]
}

const SUMMARIES = {
  disable: 'Disable a client of any account, and revoke its tokens',
  enable: 'Enable a client that was disabled',
  reportCompromised: 'Revoke all secrets and all access tokens of a client, because a secret leaked',
}

function presentPage({ items, cursor }: { items: readonly Client[]; cursor?: string | undefined }) {
  return { items: items.map(presentClient), cursor }
}
