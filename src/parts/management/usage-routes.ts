import { requireOwnClient } from '../front-door/clients-named-in-list.ts'
import { requireAccess } from '../front-door/access.ts'
import { rightTo } from '../front-door/permissions-on-clients.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import type { Usage } from '../usage/usage-types.ts'
import { QUERIES } from './query-schemas.ts'
import { route, type Route } from './route.ts'

const DESCRIPTION =
  '`by` names what the rows are separated by, with commas: `hour` or `day`, `client`, `kind`, `operation`, `result`, `outcome`. Without it: `day,outcome`. Times are in UTC.'

/** The routes that list usage, for owners and for operators. */
export function usageRoutes(parts: Internals, usage: Usage): Route[] {
  const operators = { tag: 'Operators', access: 'operator', errors: ['ERR_INVALID_ARGUMENT'] } as const
  return [
    route({
      path: 'get /usage',
      operationId: 'listUsage',
      tag: 'Usage',
      summary: 'List the API calls of the API keys and applications of the account',
      description: `${DESCRIPTION} Without \`clientId\`, the caller needs the permissions to read API keys and applications.`,
      access: 'signed-in',
      query: QUERIES.usage,
      errors: ['ERR_FORBIDDEN', 'ERR_INVALID_ARGUMENT', 'ERR_NOT_FOUND'],
      answer: 'UsageRows',
      async handle(call) {
        const { query, caller } = call
        const { clientId } = query
        if (clientId !== undefined) {
          const client = await requireOwnClient(parts, caller.accountId, clientId)
          await requireAccess(call, rightTo('read', client.kind), client)
          return { items: await usage.list(query) }
        }
        for (const needs of ['keys:read', 'applications:read'] as const) {
          await requireAccess(call, needs)
        }
        return { items: await usage.list({ ...query, accountId: caller.accountId }) }
      },
    }),
    route({
      ...operators,
      path: 'get /operator/usage',
      operationId: 'listUsageOfAllAccounts',
      summary: 'List the API calls of all clients, of one client or of one account',
      description: DESCRIPTION,
      query: QUERIES.operatorUsage,
      answer: 'UsageRows',
      handle: async ({ query }) => ({ items: await usage.list(query) }),
    }),
    route({
      ...operators,
      path: 'get /operator/usage/top-clients',
      operationId: 'listTopClients',
      summary: 'List the clients with the most API calls',
      query: QUERIES.topClients,
      answer: 'TopClients',
      handle: async ({ query }) => ({ items: await usage.topClients(query) }),
    }),
    route({
      ...operators,
      path: 'get /operator/usage/uncalled-operations',
      operationId: 'listUncalledOperations',
      summary: 'List the operations that were not called for some days',
      description: 'The answer has no `items` if usage has been counted for fewer days.',
      query: QUERIES.uncalled,
      answer: 'UncalledOperations',
      handle: async ({ query }) => ({ items: await usage.uncalledOperations(query) }),
    }),
  ]
}
