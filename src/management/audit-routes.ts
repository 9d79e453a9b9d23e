import * as v from 'valibot'
import type { AuditTrail } from '../audit/read-trail.ts'
import { entryForOwner } from '../audit/entry-for-owner.ts'
import { route, type Route } from './route.ts'
import { PageQuery } from './queries.ts'

const AuditQuery = v.strictObject({
  ...PageQuery.entries,
  trail: v.optional(v.picklist(['changes', 'failures'])),
})

const OperatorAuditQuery = v.strictObject({
  ...AuditQuery.entries,
  accountId: v.optional(v.string()),
  clientId: v.optional(v.string()),
  actor: v.optional(v.string()),
})

/**
 * The routes of the audit trail. Callers read the trail of their account, and operators read the whole trail.
 */
export function auditRoutes(audit: Pick<AuditTrail, 'list'>): Route[] {
  const common = {
    method: 'get',
    tag: 'Audit trail',
    status: 200,
    answer: 'AuditPage',
    errors: ['ERR_INVALID_ARGUMENT'],
  } as const
  return [
    route<undefined, v.InferOutput<typeof AuditQuery>>({
      ...common,
      path: '/audit',
      operationId: 'listAudit',
      summary: 'What happened to the clients and authorizations of the account, newest first',
      description:
        '`trail=failures` lists wrong secrets of the clients. Names of operators and of users of other accounts are left out; `by` says that it was one.',
      access: 'audit:read',
      query: AuditQuery,
      async handle({ caller: { accountId }, query }) {
        const { items, cursor } = await audit.list({ ...query, accountId })
        return { items: items.map((entry) => entryForOwner(entry, accountId)), cursor }
      },
    }),
    route<undefined, v.InferOutput<typeof OperatorAuditQuery>>({
      ...common,
      path: '/operator/audit',
      operationId: 'listWholeAudit',
      summary: 'What happened at all, newest first',
      description: 'At most one of `accountId`, `clientId` and `actor` limits the list.',
      access: 'operator',
      query: OperatorAuditQuery,
      handle: ({ query }) => audit.list(query),
    }),
  ]
}
