import type { Catalog } from '../../../catalog/catalog.ts'
import type { OwnerListOptions } from '../../../clients/client-service-types.ts'
import { LIST_ORDERS } from '../../../clients/owner-list.ts'
import { LISTED_STATES } from '../../../clients/why-no-token.ts'
import { html, type Html } from '../../../http/html.ts'
import { MAX_NAME_LENGTH } from '../../../validation/rules.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import type { ClientKind } from './client-kind.ts'
import { productTitle, stateText } from './client-state.ts'

type Query = Call['query']

const FIELDS = ['name', 'product', 'state', 'unused', 'sort'] as const

const UNUSED_DAYS = ['30', '90', '365']

const DAY_SECONDS = 86_400

const ORDER_TEXTS: Readonly<Record<(typeof LIST_ORDERS)[number], TextName>> = {
  newest: 'listNewest',
  name: 'nameLabel',
  'last-used': 'listByLastUse',
}

export function isUnfiltered(query: Query): boolean {
  return FIELDS.every((name) => !query[name])
}

/** The service rejects an invalid value. */
export function listOptionsOf(query: Query): OwnerListOptions {
  const { cursor, unused } = query
  const days = UNUSED_DAYS.includes(unused ?? '') ? Number(unused) : undefined
  return {
    name: query['name']?.trim() || undefined,
    product: query['product'] || undefined,
    state: (query['state'] || undefined) as OwnerListOptions['state'],
    sort: (query['sort'] || undefined) as OwnerListOptions['sort'],
    unusedSince: days === undefined ? undefined : Math.floor(Date.now() / 1000) - days * DAY_SECONDS,
    cursor: cursor || undefined,
  }
}

/** The form above a list: a part of the name, product, state, last use and order. */
export function filterForm({ texts, to, query }: Call, kind: ClientKind, catalog: Catalog): Html {
  const select = (
    name: (typeof FIELDS)[number],
    label: TextName,
    choices: readonly (readonly [string, string])[],
  ) =>
    html`<div class="field">
      <label for="${name}">${texts.html(label)}</label>
      <select id="${name}" name="${name}">
        ${choices.map(([value, text]) => html`<option value="${value}" ${(query[name] ?? '') === value && 'selected'}>${text}</option>`)}
      </select>
    </div>`
  const any = ['', texts.plain('listAny')] as const
  const reasons = LISTED_STATES.filter(
    (state) => !(kind.kind === 'application' ? ['gateway'] : ONLY_APPLICATIONS).includes(state),
  )
  return html`<form class="filter" method="get" action="${to(kind.base)}" role="search">
    <div class="field grows">
      <label for="name">${texts.html('nameLabel')}</label>
      <input
        id="name"
        name="name"
        type="search"
        maxlength="${MAX_NAME_LENGTH}"
        value="${query['name'] ?? ''}"
      />
    </div>
    ${select('product', 'listProduct', [any, ...[...catalog.products.keys()].map((id) => [id, productTitle({ texts }, catalog, id)] as const)])}
    ${select('state', 'stateLabel', [any, ...reasons.map((state) => [state, stateText({ texts }, state)] as const)])}
    ${select('unused', 'clientsColumnLastUsed', [any, ...UNUSED_DAYS.map((days) => [days, texts.plain('listUnused', { count: Number(days) })] as const)])}
    ${select(
      'sort',
      'listSort',
      LIST_ORDERS.map((order) => [order === 'newest' ? '' : order, texts.plain(ORDER_TEXTS[order])] as const),
    )}
    <div class="line">
      <button>${texts.html('listFilter')}</button>
      ${!isUnfiltered(query) && html`<a href="${to(kind.base)}">${texts.html('showAllLink')}</a>`}
    </div>
  </form>`
}

const ONLY_APPLICATIONS: readonly string[] = ['kyc-level', 'no-redirect-uri']
