import type * as v from 'valibot'
import type { Client } from '../clients/client.ts'
import { clientNotFound } from '../clients/client-id.ts'
import type { Internals } from '../gatehouse/internals.ts'
import { GatehouseError } from '../errors.ts'
import { authorizationLists } from './authorization-routes.ts'
import { presentPage, sendClient } from './present-client.ts'
import { route, type Route } from './route.ts'
import { PageQuery, type SchemaName } from './schemas.ts'

const CLIENT = '/operator/clients/{clientId}'
const ACCOUNT = '/operator/accounts/{accountId}'
const COMMON = { tag: 'Operators', access: 'operator' } as const

/** A route that reads. */
function read<Query = undefined>(
  path: string,
  operationId: string,
  summary: string,
  answer: SchemaName,
  handle: Route<undefined, Query, undefined>['handle'],
  query?: v.GenericSchema<unknown, Query>,
): Route {
  const described = { path, operationId, summary, answer, query, documentsEtag: answer === 'Client' }
  return route<undefined, Query>({ ...COMMON, ...described, method: 'get', status: 200, handle })
}

/** A change without a body. @param answer undefined for an answer without a body */
function change(
  path: string,
  operationId: string,
  summary: string,
  handle: Route<undefined, undefined, undefined>['handle'],
  answer?: SchemaName,
): Route {
  const described = { path, operationId, summary, answer }
  return route({ ...COMMON, ...described, method: 'post', status: answer ? 200 : 204, handle })
}

/** The routes of operators, who may read and revoke everything. */
export function operatorRoutes(parts: Internals): Route[] {
  const { apiKeys, applications, grants, tokens, signingKeys, accounts, health } = parts
  const listAuthorizations = authorizationLists(grants, parts.registry)

  async function requireClient(clientId: string): Promise<Client> {
    const client = (await apiKeys.find(clientId)) ?? (await applications.find(clientId))
    if (!client) throw clientNotFound('API key or application', clientId)
    return client
  }

  const changeClient = (name: 'disable' | 'enable' | 'reportCompromised', path: string, summary: string) =>
    change(
      CLIENT + path,
      `${name}Client`,
      summary,
      async ({ params: { clientId = '' }, change: options }) => {
        const { kind } = await requireClient(clientId)
        await (kind === 'apiKey' ? apiKeys : applications)[name](clientId, options)
      },
    )

  return [
    read(
      CLIENT,
      'getClient',
      'Read an API key or application of any account',
      'Client',
      async ({ ctx, params: { clientId = '' } }) => sendClient(ctx, await requireClient(clientId)),
    ),
    change(
      `${CLIENT}/revoke`,
      'revokeClient',
      'Revoke all access tokens of a client; its secret stays valid',
      ({ params: { clientId = '' }, change: options }) => tokens.revokeAll({ clientId }, options),
      'RevokedAccess',
    ),
    changeClient('disable', '/disable', 'Disable a client of any account, and revoke its tokens'),
    changeClient('enable', '/enable', 'Enable a client that was disabled'),
    changeClient(
      'reportCompromised',
      '/report-compromised',
      'Revoke all secrets and all access tokens of a client, because a secret leaked',
    ),
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
    ),
    read(
      `${ACCOUNT}/api-keys`,
      'listApiKeysOfAccount',
      'List the API keys of an account',
      'ApiKeyPage',
      async ({ params: { accountId = '' }, query }) =>
        presentPage(await apiKeys.listByOwner(accountId, query)),
      PageQuery,
    ),
    read(
      `${ACCOUNT}/applications`,
      'listApplicationsOfAccount',
      'List the applications of an account',
      'ApplicationPage',
      async ({ params: { accountId = '' }, query }) =>
        presentPage(await applications.listByOwner(accountId, query)),
      PageQuery,
    ),
    read(
      `${ACCOUNT}/authorizations`,
      'listAuthorizationsOfAccount',
      'List the authorizations of an account',
      'AuthorizationPage',
      ({ params: { accountId = '' }, query }) => listAuthorizations({ accountId }, query),
      PageQuery,
    ),
    change(
      `${ACCOUNT}/revoke`,
      'revokeAccount',
      'Revoke all tokens of an account, and everything that it has authorized',
      ({ params: { accountId = '' }, change: options }) => tokens.revokeAll({ accountId }, options),
      'RevokedAccess',
    ),
    change(
      `${ACCOUNT}/users/{userId}/revoke`,
      'revokeUser',
      'Revoke all tokens of the clients of a user, and everything that the user has authorized',
      ({ params: { accountId = '', userId = '' }, change: options }) =>
        tokens.revokeAll({ accountId, userId }, options),
      'RevokedAccess',
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
    ),
    change(
      '/operator/signing-keys/{kid}/revoke',
      'revokeSigningKey',
      'Revoke a leaked signing key, and all tokens that it has signed',
      ({ params: { kid = '' }, change: options }) => signingKeys.revoke(kid, options),
    ),
    read('/operator/health', 'getHealth', 'The health of the service', 'Health', health),
  ]
}
