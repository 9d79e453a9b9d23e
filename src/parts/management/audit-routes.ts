import { entryForOwner } from '../../audit/entry-for-owner.ts'
import { requireOwnClient } from '../front-door/clients-named-in-list.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { route, type Route } from './route.ts'
import { QUERIES } from './query-schemas.ts'

/** The routes of the audit trail, for accounts and for operators. */
export function auditRoutes(parts: Internals): Route[] {
  const { audit } = parts
  const common = {
    tag: 'Audit trail',
    answer: 'AuditPage',
    errors: ['ERR_INVALID_ARGUMENT'],
  } as const
  return [
    route({
      ...common,
      path: 'get /audit',
      operationId: 'listAudit',
      summary: 'What happened to the clients and authorizations of the account, newest first',
      description:
        '`clientId` limits the list to one client that was not deleted. `trail=failures` lists wrong secrets of the clients. Names of operators and of users of other accounts are left out; `by` says that it was one.',
      access: 'audit:read',
      query: QUERIES.audit,
      errors: ['ERR_INVALID_ARGUMENT', 'ERR_NOT_FOUND'],
      async handle({ caller: { accountId }, query }) {
        const { clientId } = query
        if (clientId !== undefined) await requireOwnClient(parts, accountId, clientId)
        const filter = clientId === undefined ? { accountId } : {}
        const { items, cursor } = await audit.list({ ...query, ...filter })
        return { items: items.map((entry) => entryForOwner(entry, accountId)), cursor }
      },
    }),
    route({
      ...common,
      path: 'get /operator/audit',
      operationId: 'listWholeAudit',
      summary: 'What happened at all, newest first',
      description: 'At most one of `accountId`, `clientId`, `actor` and `documentHost` limits the list.',
      access: 'operator',
      query: QUERIES.operatorAudit,
      handle: ({ query }) => audit.list(query),
    }),
  ]
}
