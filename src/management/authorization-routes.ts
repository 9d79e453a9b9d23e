import type * as v from 'valibot'
import { GatehouseError } from '../errors.ts'
import type { Grant } from '../grants/grant.ts'
import type { Grants } from '../grants/grant-service.ts'
import { route, type Route } from './route.ts'
import { PageQuery } from './schemas.ts'

/** The routes of what the caller has authorized applications to do. */
export function authorizationRoutes(grants: Grants): Route[] {
  const tag = 'Authorizations'
  return [
    route<undefined, v.InferOutput<typeof PageQuery>>({
      method: 'get',
      path: '/authorizations',
      operationId: 'listAuthorizations',
      tag,
      summary: 'List what the caller has authorized applications to do, oldest first',
      description: 'For a user of an account, only what this user has authorized.',
      access: 'authorizations:read',
      query: PageQuery,
      status: 200,
      answer: 'AuthorizationPage',
      handle: ({ caller: { accountId, userId }, query }) => grants.list({ ...query, accountId, userId }),
    }),
    route<undefined, undefined, Grant>({
      method: 'delete',
      path: '/authorizations/{grantId}',
      operationId: 'revokeAuthorization',
      tag,
      summary: 'Revoke an authorization with all its tokens',
      description: 'A repeat gets 404, like any unknown id.',
      access: 'authorizations:revoke',
      async find({ accountId, userId }, { grantId = '' }) {
        const grant = await grants.find(grantId)
        const isOwn = grant?.accountId === accountId && (userId === undefined || grant.userId === userId)
        if (!isOwn) throw new GatehouseError('ERR_NOT_FOUND', 'there is no authorization with that id')
        return grant
      },
      target: ({ grantId }) => ({ grantId }),
      status: 204,
      handle: ({ resource: { grantId }, change }) => grants.revoke(grantId, change),
    }),
  ]
}
