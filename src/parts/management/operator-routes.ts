import { requireClient } from '../front-door/run-client-action.ts'
import { search } from '../front-door/search.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { GatehouseError } from '../../errors.ts'
import { authorizationLists } from './authorization-routes.ts'
import type { ClientPresenter } from './add-client-state.ts'
import { route, type Route } from './route.ts'
import { operatorActionRoutes } from './client-action-routes.ts'
import { QUERIES } from './query-schemas.ts'
import type { AnswerName } from './answer-schemas.ts'

const ACCOUNT = '/operator/accounts/{accountId}'
const OPERATORS = { tag: 'Operators', access: 'operator' } as const
const INVALID = ['ERR_INVALID_ARGUMENT'] as const
const UNKNOWN = ['ERR_NOT_FOUND'] as const
const CLIENTS = { ...OPERATORS, query: QUERIES.client, errors: INVALID }

/** The routes of operators, who may read and revoke everything. */
export function operatorRoutes(parts: Internals, presenter: ClientPresenter): Route[] {
  const { presentPage, sendClient } = presenter
  const { apiKeys, applications, grants, tokens, signingKeys, accounts, health } = parts
  const listAuthorizations = authorizationLists(grants, parts.registry)

  return [
    route({
      ...OPERATORS,
      path: 'get /operator/search',
      operationId: 'search',
      summary: 'Find clients, accounts and users by their ids and names',
      query: QUERIES.search,
      answer: 'SearchResult',
      async handle({ query: { text } }) {
        const { clients, ...found } = await search(parts, text)
        const { items } = await presentPage({ items: [...clients] })
        return { clients: items, ...found }
      },
    }),
    route({
      ...OPERATORS,
      path: 'get /operator/clients/{clientId}',
      operationId: 'getClient',
      summary: 'Read an API key or application of any account',
      errors: UNKNOWN,
      answer: 'Client',
      documentsEtag: true,
      handle: async ({ ctx, params: { clientId = '' } }) =>
        sendClient(ctx, await requireClient(parts, clientId)),
    }),
    ...operatorActionRoutes(parts, presenter),
    route({
      ...OPERATORS,
      path: `get ${ACCOUNT}`,
      operationId: 'getAccount',
      summary: 'Find an account by its exact id',
      errors: UNKNOWN,
      answer: 'Account',
      async handle({ params: { accountId = '' } }) {
        const found = await accounts.find(accountId)
        if (!found) throw new GatehouseError('ERR_NOT_FOUND', 'there is no account with that id')
        return { accountId: found.id, kycLevel: found.kycLevel }
      },
    }),
    route({
      ...CLIENTS,
      path: `get ${ACCOUNT}/api-keys`,
      operationId: 'listApiKeysOfAccount',
      summary: 'List the API keys of an account',
      answer: 'ApiKeyPage',
      handle: async ({ params: { accountId = '' }, query }) =>
        presentPage(await apiKeys.listByOwner(accountId, query)),
    }),
    route({
      ...CLIENTS,
      path: `get ${ACCOUNT}/applications`,
      operationId: 'listApplicationsOfAccount',
      summary: 'List the applications of an account',
      answer: 'ApplicationPage',
      handle: async ({ params: { accountId = '' }, query }) =>
        presentPage(await applications.listByOwner(accountId, query)),
    }),
    route({
      ...OPERATORS,
      path: `get ${ACCOUNT}/authorizations`,
      operationId: 'listAuthorizationsOfAccount',
      summary: 'List the authorizations of an account',
      query: QUERIES.page,
      errors: INVALID,
      answer: 'AuthorizationPage',
      handle: ({ params: { accountId = '' }, query }) => listAuthorizations({ accountId }, query),
    }),
    ...holderRoutes('revoke', 'RevokedAccess', tokens.revokeAll, {
      account: 'Revoke all tokens of an account, and everything that it has authorized',
      user: 'Revoke all tokens of the clients of a user, and everything that the user has authorized',
    }),
    ...holderRoutes('erase', 'ErasedRecords', parts.erase, {
      account: 'Erase an account with all its users: delete everything of theirs for good',
      user: 'Erase a user: delete everything of theirs for good',
    }),
    route({
      ...OPERATORS,
      path: 'get /operator/signing-keys',
      operationId: 'listSigningKeys',
      summary: 'List the signing keys, without their private parts',
      answer: 'SigningKeyList',
      handle: async () => ({ items: await signingKeys.list() }),
    }),
    route({
      ...OPERATORS,
      path: 'post /operator/signing-keys/rotate',
      operationId: 'rotateSigningKeys',
      summary: 'Activate the next signing keys',
      errors: ['ERR_SIGNING_KEYS_READ_ONLY'],
      handle: ({ change }) => signingKeys.rotate(change),
    }),
    route({
      ...OPERATORS,
      path: 'post /operator/signing-keys/{kid}/revoke',
      operationId: 'revokeSigningKey',
      summary: 'Revoke a leaked signing key, and all tokens that it has signed',
      errors: ['ERR_NOT_FOUND', 'ERR_SIGNING_KEYS_READ_ONLY'],
      confirms: 'operator',
      handle: ({ params: { kid = '' }, change }) => signingKeys.revoke(kid, change),
    }),
    route({
      ...OPERATORS,
      path: 'get /operator/health',
      operationId: 'getHealth',
      summary: 'The health of the service',
      answer: 'Health',
      handle: health,
    }),
  ]
}

function holderRoutes(
  act: 'revoke' | 'erase',
  answer: AnswerName,
  run: Internals['erase'] | Internals['tokens']['revokeAll'],
  summaries: { readonly account: string; readonly user: string },
): Route[] {
  return (['account', 'user'] as const).map((of) =>
    route({
      ...OPERATORS,
      path: `post ${ACCOUNT}${of === 'user' ? '/users/{userId}' : ''}/${act}`,
      operationId: `${act}${of === 'user' ? 'User' : 'Account'}`,
      summary: summaries[of],
      confirms: 'operator',
      answer,
      handle: ({ params: { accountId = '', userId }, change }) =>
        run({ accountId, ...(userId !== undefined && { userId }) }, change),
    }),
  )
}
