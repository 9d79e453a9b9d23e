import { createCursors } from '../store/cursor.ts'
import { PAGE_LIMIT, pageLimitRule } from '../validation/page-limit.ts'
import {
  checkInput,
  epochSecondsRule,
  finiteNumberRule,
  objectOf,
  oneOf,
  optional,
  stringRule,
  textRule,
  type Fields,
} from '../validation/rules.ts'
import type { Client } from './client.ts'
import type { ClientPage } from './client-index.ts'
import type { ClientRecord } from './client-record.ts'
import { recordsOfOwner, type ClientRepository } from './client-repository.ts'
import type { ListOrder, OwnerListOptions } from './client-service-types.ts'
import { createStates, LISTED_STATES } from './why-no-token.ts'

export const LIST_ORDERS = ['newest', 'name', 'expiry', 'last-used'] as const satisfies readonly ListOrder[]

const FILTERS = ['name', 'product', 'state', 'unusedSince'] as const

const fieldsOf = (sort: ListOrder): Fields => ({
  name: optional(textRule),
  product: optional(textRule),
  state: optional(oneOf(...LISTED_STATES)),
  unusedSince: optional(epochSecondsRule),
  sort: optional(oneOf(...LIST_ORDERS)),
  cursor: optional(cursorsOf(sort).rule('the `cursor` of the previous page of a list in the same order')),
  limit: pageLimitRule,
})

/** Compared from the first field to the last. */
type Place = { readonly by: number | string; readonly age: number; readonly clientId: string }

const cursorsOf = (sort: ListOrder) =>
  createCursors<Place>(
    objectOf({
      by: sort === 'name' ? stringRule : finiteNumberRule,
      age: finiteNumberRule,
      clientId: textRule,
    }),
  )

const names = new Intl.Collator('en', { numeric: true })

/**
 * Filters and sorts all clients of an account in memory: `maxClientsPerAccount` limits them. Without a filter, the newest
 * come from the index, so only those of the page are read.
 */
export async function listOfOwner<C extends Client>(
  clients: ClientRepository<C>,
  accountId: string,
  options: OwnerListOptions,
): Promise<ClientPage<C>> {
  checkInput('the list was not read', options, fieldsOf(Object(options).sort ?? 'newest'))
  const { sort = 'newest', limit = PAGE_LIMIT.byDefault, cursor } = options
  const cursors = cursorsOf(sort)
  const after = cursors.read(cursor)
  const isAfter = (place: Place) => after === undefined || compare(place, after) > 0
  const isPlain = sort === 'newest' && FILTERS.every((name) => options[name] === undefined)
  const newest = isPlain
    ? await clients.index.newest(clients.kind, accountId, limit + 1, (listedAt, clientId) =>
        isAfter({ by: 0, age: -listedAt, clientId }),
      )
    : undefined
  const records = newest ?? (await recordsOfOwner(clients, accountId))
  const matching = records.filter(({ client }) => matches(client, options))
  const found = await withState(clients, matching, options.state)
  const rest = found
    .map((record) => ({ client: record.client, place: placeOf(record, sort) }))
    .filter(({ place }) => isAfter(place))
    .toSorted((one, other) => compare(one.place, other.place))
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(({ client }) => client),
    cursor: last && rest.length > limit ? cursors.write(last.place) : undefined,
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
  const { name, expiresAt: expiry = Number.MAX_SAFE_INTEGER, lastUsedAt = 0 } = client
  const by = { newest: 0, name, expiry, 'last-used': -lastUsedAt }[sort]
  return { by, age: -listedAt, clientId: client.clientId }
}

function compare(one: Place, other: Place): number {
  const by = typeof one.by === 'number' ? one.by - Number(other.by) : names.compare(one.by, String(other.by))
  return by || one.age - other.age || names.compare(one.clientId, other.clientId)
}
