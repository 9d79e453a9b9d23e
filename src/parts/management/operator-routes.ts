import { requireClient } from '../front-door/run-client-action.ts'
import { search } from '../front-door/search.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { GatehouseError } from '../../errors.ts'
import { authorizationLists } from './authorization-routes.ts'
import type { ClientPresenter } from './present-clients.ts'
import type { Rule } from '../../validation/rules.ts'
import { route, type Route } from './route.ts'
import type { ServiceCode } from './openapi-codes.ts'
import { operatorActionRoutes } from './client-action-routes.ts'
import { QUERIES } from './query-schemas.ts'
import type { AnswerName } from './answer-schemas.ts'

const ACCOUNT = '/operator/accounts/{accountId}'
const COMMON = { tag: 'Operators', access: 'operator' } as const
const LIST = { query: QUERIES.page, errors: ['ERR_INVALID_ARGUMENT'] } as const
const CLIENTS = { query: QUERIES.client, errors: ['ERR_INVALID_ARGUMENT'] } as const
const MAY_BE_UNKNOWN = { errors: ['ERR_NOT_FOUND'] } as const

/** A route that reads. @param errors must contain `ERR_INVALID_ARGUMENT` if the route has a query */
function read<Query = undefined>(
  path: string,
  operationId: string,
  summary: string,
  answer: AnswerName,
  handle: Route<undefined, Query, undefined>['handle'],
  { query, errors = [] }: { query?: Rule<Query>; errors?: readonly ServiceCode[] } = {},
): Route {
  const documentsEtag = answer === 'Client'
  const described = { path, operationId, summary, answer, query, errors, documentsEtag }
  return route<undefined, Query>({ ...COMMON, ...described, method: 'get', status: 200, handle })
}

/** A route that makes a change. Its request has no body. @param answer undefined for an answer without a body */
function change(
  path: string,
  operationId: string,
  summary: string,
  handle: Route<undefined, undefined, undefined>['handle'],
  {
    answer,
    errors = [],
    confirms,
  }: { answer?: AnswerName; errors?: readonly ServiceCode[]; confirms?: 'operator' } = {},
): Route {
  const described = { path, operationId, summary, answer, errors, confirms }
  return route({ ...COMMON, ...described, method: 'post', status: answer ? 200 : 204, handle })
}

/** The routes of operators, who may read and revoke everything. */
export function operatorRoutes(parts: Internals, presenter: ClientPresenter): Route[] {
  const { presentPage, sendClient } = presenter
  const { apiKeys, applications, grants, tokens, signingKeys, accounts, health } = parts
  const listAuthorizations = authorizationLists(grants, parts.registry)

  return [
    read(
      '/operator/search',
      'search',
      'Find clients, accounts and users by their ids and names',
      'SearchResult',
      async ({ query: { text } }) => {
        const { clients, ...found } = await search(parts, text)
        const { items } = await presentPage({ items: [...clients] })
        return { clients: items, ...found }
      },
      { query: QUERIES.search },
    ),
    read(
      '/operator/clients/{clientId}',
      'getClient',
      'Read an API key or application of any account',
      'Client',
      async ({ ctx, params: { clientId = '' } }) => sendClient(ctx, await requireClient(parts, clientId)),
      MAY_BE_UNKNOWN,
    ),
    ...operatorActionRoutes(parts, presenter),
    read(
      ACCOUNT,
      'getAccount',
      'Find an account by its exact id',
      'Account',
      async ({ params: { accountId = '' } }) => {
        const found = await accounts.find(accountId)
        if (!found) throw new GatehouseError('ERR_NOT_FOUND', 'there is no account with that id')
        return { accountId: found.id, kycLevel: found.kycLevel }
      },
      MAY_BE_UNKNOWN,
    ),
    read(
      `${ACCOUNT}/api-keys`,
      'listApiKeysOfAccount',
      'List the API keys of an account',
      'ApiKeyPage',
      async ({ params: { accountId = '' }, query }) =>
        presentPage(await apiKeys.listByOwner(accountId, query)),
      CLIENTS,
    ),
    read(
      `${ACCOUNT}/applications`,
      'listApplicationsOfAccount',
      'List the applications of an account',
      'ApplicationPage',
      async ({ params: { accountId = '' }, query }) =>
        presentPage(await applications.listByOwner(accountId, query)),
      CLIENTS,
    ),
    read(
      `${ACCOUNT}/authorizations`,
      'listAuthorizationsOfAccount',
      'List the authorizations of an account',
      'AuthorizationPage',
      ({ params: { accountId = '' }, query }) => listAuthorizations({ accountId }, query),
      LIST,
    ),
    change(
      `${ACCOUNT}/revoke`,
      'revokeAccount',
      'Revoke all tokens of an account, and everything that it has authorized',
      ({ params: { accountId = '' }, change: options }) => tokens.revokeAll({ accountId }, options),
      { answer: 'RevokedAccess', confirms: 'operator' },
    ),
    change(
      `${ACCOUNT}/users/{userId}/revoke`,
      'revokeUser',
      'Revoke all tokens of the clients of a user, and everything that the user has authorized',
      ({ params: { accountId = '', userId = '' }, change: options }) =>
        tokens.revokeAll({ accountId, userId }, options),
      { answer: 'RevokedAccess', confirms: 'operator' },
    ),
    change(
      `${ACCOUNT}/erase`,
      'eraseAccount',
      'Erase an account with all its users: delete everything of theirs for good',
      ({ params: { accountId = '' }, change: options }) => parts.erase({ accountId }, options),
      { answer: 'ErasedRecords', confirms: 'operator' },
    ),
    change(
      `${ACCOUNT}/users/{userId}/erase`,
      'eraseUser',
      'Erase a user: delete everything of theirs for good',
      ({ params: { accountId = '', userId = '' }, change: options }) =>
        parts.erase({ accountId, userId }, options),
      { answer: 'ErasedRecords', confirms: 'operator' },
    ),
    read(
      '/operator/signing-keys',
      'listSigningKeys',
      'List the signing keys, without their private parts',
      'SigningKeyList',
      async () => ({ items: await signingKeys.list() }),
    ),
    change(
      '/operator/signing-keys/rotate',
      'rotateSigningKeys',
      'Activate the next signing keys',
      ({ change: options }) => signingKeys.rotate(options),
      { errors: ['ERR_SIGNING_KEYS_READ_ONLY'] },
    ),
    change(
      '/operator/signing-keys/{kid}/revoke',
      'revokeSigningKey',
      'Revoke a leaked signing key, and all tokens that it has signed',
      ({ params: { kid = '' }, change: options }) => signingKeys.revoke(kid, options),
      { errors: ['ERR_NOT_FOUND', 'ERR_SIGNING_KEYS_READ_ONLY'], confirms: 'operator' },
    ),
    read('/operator/health', 'getHealth', 'The health of the service', 'Health', health),
  ]
}
