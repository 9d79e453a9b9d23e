import type { HygienePage } from '../../clients/hygiene.ts'
import { listOwnFindings } from '../front-door/own-findings.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { QUERIES } from './query-schemas.ts'
import { route, type Route } from './route.ts'

const EXAMINED =
  'The client with the worst finding comes first. A request examines at most 1000 clients. A page may have fewer items than `limit`, or none, although it has a `cursor`.'

/** The routes that list what needs attention, for owners and for operators. */
export function hygieneRoutes({ hygiene }: Pick<Internals, 'hygiene'>): Route[] {
  const present = ({ items, cursor }: HygienePage) => ({
    items: items.map(({ client, findings, knownToFormer }) => ({
      ...client,
      findings,
      ...(knownToFormer.length > 0 && { knownToFormer }),
    })),
    cursor,
  })
  const operators = { tag: 'Operators', access: 'operator' } as const
  return [
    route({
      path: 'get /hygiene',
      operationId: 'listFindings',
      tag: 'Hygiene',
      summary: 'List the API keys and applications of the account that need attention',
      description: `${EXAMINED} The caller sees the kinds of clients that it may read.`,
      access: 'signed-in',
      query: QUERIES.hygiene,
      errors: ['ERR_FORBIDDEN', 'ERR_INVALID_ARGUMENT'],
      answer: 'FindingsPage',
      handle: async (call) => present(await listOwnFindings(hygiene, call, call.query)),
    }),
    route({
      ...operators,
      path: 'get /operator/hygiene',
      operationId: 'listFindingsOfAllAccounts',
      summary: 'List the API keys and applications of all accounts that need attention',
      description: EXAMINED,
      query: QUERIES.operatorHygiene,
      errors: ['ERR_INVALID_ARGUMENT'],
      answer: 'FindingsPage',
      handle: async ({ query }) => present(await hygiene.list(query)),
    }),
    route({
      ...operators,
      path: 'get /operator/hygiene/products',
      operationId: 'listUnusedProducts',
      summary: 'List the products that no API key and no application has',
      description: 'The request reads clients until it has found every product, so it may take seconds.',
      answer: 'UnusedProducts',
      handle: async () => ({ items: await hygiene.unusedProducts() }),
    }),
  ]
}
