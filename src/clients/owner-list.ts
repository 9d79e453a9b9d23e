import { isText } from '../validation/predicates.ts'
import { PAGE_LIMIT, pageLimitRule } from '../validation/page-limit.ts'
import {
  checkInput,
  epochSecondsRule,
  must,
  oneOf,
  optional,
  textRule,
  type Fields,
} from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { ClientPage } from './client-index.ts'
import type { ClientRecord } from './client-record.ts'
import { recordsOfOwner, type ClientRepository } from './client-repository.ts'
import type { ListOrder, OwnerListOptions } from './client-service-types.ts'
import { createStates } from './client-states.ts'
import { LISTED_STATES } from './why-no-token.ts'

export const LIST_ORDERS = ['newest', 'name', 'last-used'] as const satisfies readonly ListOrder[]

const fieldsOf = (sort: ListOrder): Fields => ({
  name: optional(textRule),
  product: optional(textRule),
  state: optional(oneOf(...LISTED_STATES)),
  unusedSince: optional(epochSecondsRule),
  sort: optional(oneOf(...LIST_ORDERS)),
  cursor: optional(
    must(
      'the `cursor` of the previous page of a list in the same order',
      (value) => readCursor(value, sort) !== undefined,
    ),
  ),
  limit: pageLimitRule,
})

/** Compared from left to right. */
type Place = readonly [by: number | string, age: number, clientId: string]

const names = new Intl.Collator('en', { numeric: true })

/**
 * A page of the clients of an account. All of them are read, filtered and sorted in memory:
 * `maxClientsPerAccount` limits them.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`; with `state`, the errors of `accounts.find`
 */
export async function listOfOwner<C extends Client>(
  clients: ClientRepository<C>,
  accountId: string,
  options: OwnerListOptions,
): Promise<ClientPage<C>> {
  checkInput('the list was not read', options, fieldsOf(Object(options).sort ?? 'newest'))
  const { sort = 'newest', limit = PAGE_LIMIT.byDefault, cursor } = options
  const after = readCursor(cursor, sort)
  const records = await recordsOfOwner(clients, accountId)
  const matching = records.filter(({ client }) => matches(client, options))
  const found = await withState(clients, matching, options.state)
  const rest = found
    .map((record) => ({ client: record.client, place: placeOf(record, sort) }))
    .filter(({ place }) => after === undefined || compare(place, after) > 0)
    .toSorted((one, other) => compare(one.place, other.place))
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ client }) => client),
    cursor: last && rest.length > limit ? writeCursor(last.place) : undefined,
  }
}

function matches(client: Client, { name, product, unusedSince }: OwnerListOptions): boolean {
  return (
    (name === undefined || client.name.toLowerCase().includes(name.toLowerCase())) &&
    (product === undefined || client.products.includes(product)) &&
    (unusedSince === undefined || (client.lastUsedAt ?? 0) < unusedSince)
  )
}

async function withState<C extends Client>(
  { accounts, catalog }: ClientRepository<C>,
  records: readonly ClientRecord<C>[],
  state: OwnerListOptions['state'],
): Promise<readonly ClientRecord<C>[]> {
  if (state === undefined) return records
  const states = await createStates({ accounts, catalog })(records.map(({ client }) => client))
  return records.filter((_, at) => {
    const noToken = states[at]?.noToken
    return state === 'no-token' ? noToken !== undefined : state === (noToken ?? 'active')
  })
}

function placeOf({ client, listedAt }: ClientRecord, sort: ListOrder): Place {
  const by = sort === 'name' ? client.name : sort === 'last-used' ? -(client.lastUsedAt ?? 0) : 0
  return [by, -listedAt, client.clientId]
}

function compare(one: Place, other: Place): number {
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? 0
    const order = typeof value === 'number' ? value - Number(against) : names.compare(value, String(against))
    if (order !== 0) return order
  }
  return 0
}

function writeCursor(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function readCursor(cursor: unknown, sort: ListOrder): Place | undefined {
  if (!isText(cursor)) return undefined
  try {
    const [by, age, clientId]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isOfOrder = typeof by === (sort === 'name' ? 'string' : 'number')
    return isOfOrder && typeof age === 'number' && isText(clientId)
      ? [by as Place[0], age, clientId]
      : undefined
  } catch {
    return undefined
  }
}
