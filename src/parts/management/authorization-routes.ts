import type { Application } from '../../clients/client.ts'
import { findApplications, type ClientRegistry } from '../../clients/client-registry.ts'
import { documentOf } from '../../clients/documents/document-application.ts'
import { GatehouseError } from '../../errors.ts'
import type { Grant } from '../../grants/grant.ts'
import type { Grants } from '../../grants/grant-service.ts'
import { belongsTo } from '../../host/subject.ts'
import { route, type Route } from './route.ts'
import type { ValueOf } from '../../validation/rules.ts'
import { QUERIES } from './query-schemas.ts'

type PageOptions = ValueOf<typeof QUERIES.page>

/** The grants come with what users may know about their application. */
export function authorizationLists(grants: Grants, registry: ClientRegistry) {
  return async function listAuthorizations(
    holder: { readonly accountId: string; readonly userId?: string | undefined },
    options: PageOptions,
  ) {
    const { items, cursor } = await grants.list({ ...options, ...holder })
    const found = await findApplications(registry, items)
    const present = ({ clientId }: Grant) => presentToUsers(found.get(clientId))
    return { items: items.map((grant) => ({ ...grant, application: present(grant) })), cursor }
  }
}

function presentToUsers(application: Application | undefined) {
  if (!application) return undefined
  const { name, homepageUri, logoUri, privacyUri, termsUri } = application
  const { host, isVerified = false } = documentOf(application) ?? {}
  const document = host === undefined ? undefined : { host, isVerified }
  return { name, document, homepageUri, logoUri, privacyUri, termsUri }
}

/** The routes of what the caller has authorized applications to do. */
export function authorizationRoutes(grants: Grants, registry: ClientRegistry): Route[] {
  const list = authorizationLists(grants, registry)
  const tag = 'Authorizations'
  return [
    route({
      path: 'get /authorizations',
      operationId: 'listAuthorizations',
      tag,
      summary: 'List what the caller has authorized applications to do, oldest first',
      description: 'For a user of an account, only what this user has authorized.',
      access: 'authorizations:read',
      query: QUERIES.page,
      errors: ['ERR_INVALID_ARGUMENT'],
      answer: 'AuthorizationPage',
      handle: ({ caller: { accountId, userId }, query }) => list({ accountId, userId }, query),
    }),
    route({
      path: 'delete /authorizations',
      operationId: 'revokeAuthorizationsOfApplication',
      tag,
      summary: 'Disconnect an application: revoke all authorizations that the caller gave to it',
      description: 'A repeat revokes 0 grants. For a user of an account, only what this user has authorized.',
      access: 'authorizations:revoke',
      query: QUERIES.application,
      answer: 'RevokedAuthorizations',
      async handle({ caller: { accountId, userId }, query: { clientId }, change }) {
        const holder = { accountId, clientId, ...(userId !== undefined && { userId }) }
        return { grants: await grants.revokeAll(holder, change) }
      },
    }),
    route<undefined, undefined, Grant>({
      path: 'delete /authorizations/{grantId}',
      operationId: 'revokeAuthorization',
      tag,
      summary: 'Revoke an authorization with all its tokens',
      description: 'A repeat gets 404, like any unknown id.',
      access: 'authorizations:revoke',
      async find(caller, { grantId = '' }) {
        const grant = await grants.find(grantId)
        if (!grant || !belongsTo(grant, caller))
          throw new GatehouseError('ERR_NOT_FOUND', 'there is no authorization with that id')
        return grant
      },
      target: ({ grantId }) => ({ grantId }),
      handle: ({ resource: { grantId }, change }) => grants.revoke(grantId, change),
    }),
  ]
}
