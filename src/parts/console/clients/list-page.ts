import type { Catalog } from '../../../catalog/catalog.ts'
import type { OwnerListOptions } from '../../../clients/client-service-types.ts'
import { LIST_ORDERS } from '../../../clients/list-order-and-filters.ts'
import { LISTED_STATES } from '../../../clients/why-no-token.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { MAX_NAME_LENGTH } from '../../../clients/client-name.ts'
import { field } from '../elements/form.ts'
import { pager, ROWS_PER_PAGE } from '../elements/pager.ts'
import { page, type Call, type Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { PAGES_OF_KIND, word, type ClientKind } from './client-kind.ts'
import { productTitle, stateText } from './no-token-state.ts'
import { clientTable } from './client-table.ts'

/** The list of the caller's clients of one kind, with its filters and orders. */
export function listPage(kind: ClientKind, services: ConsoleServices): Page {
  return page({
    path: kind.base,
    section: kind.section,
    access: `${kind.permissions}:read`,
    async show(call) {
      const { texts, caller, query } = call
      const [clients, mayCreate] = await Promise.all([
        kind.service.listByOwner(caller.accountId, { limit: ROWS_PER_PAGE, ...listOptionsOf(query) }),
        call.may(`${kind.permissions}:create`),
      ])
      const { items, cursor } = clients
      const isWhole = isUnfiltered(query) && query['cursor'] === undefined && cursor === undefined
      const isEmpty = isWhole && items.length === 0
      const button = mayCreate && newButton(call, kind)
      return {
        title: texts.plain(word(kind, 'ListTitle')),
        body: html`<div class="line spread">
            <h1>${texts.html(word(kind, 'ListTitle'))}</h1>
            ${!isEmpty && button}
          </div>
          ${
            isEmpty
              ? emptyState(call, kind, button)
              : html`${(!isWhole || items.length > 1) && filterForm(call, kind, services.catalog.current)}
                  <section class="panel ${items.length === 0 && 'empty'}">
                    ${
                      items.length === 0
                        ? html`<p>${texts.html('listNothing')}</p>`
                        : await clientTable(call, items, 'owner', services)
                    }
                    ${pager(call, kind.base, cursor)}
                  </section>`
          }`,
      }
    },
  })
}

function newButton({ texts, to }: Call, kind: ClientKind): Html {
  return html`<a class="button primary" href="${to(`${kind.base}/new`)}"
    >${texts.html(word(kind, 'Create'))}</a
  >`
}

/** What such a client is for, and when a client of the other kind fits better. */
function emptyState({ texts, to, has }: Call, kind: ClientKind, button: HtmlValue): Html {
  const other = PAGES_OF_KIND[kind.kind === 'apiKey' ? 'application' : 'apiKey']
  return html`<section class="panel empty">
    <h2>${texts.html(word(kind, 'EmptyTitle'))}</h2>
    <p>${texts.html(word(kind, 'EmptyWhat'))}</p>
    <p class="muted">
      ${texts.html(word(kind, 'EmptyOther'))}
      ${has(other.section) && html`<a href="${to(other.base)}">${texts.html(word(kind, 'EmptyOtherLink'))}</a>`}
    </p>
    ${button}
  </section>`
}

type Query = Call['query']

const FILTERS = ['name', 'product', 'state', 'unused', 'sort'] as const

const UNUSED_DAYS = ['30', '90', '365']

const DAY_SECONDS = 86_400

const ORDER_TEXTS: Readonly<Record<(typeof LIST_ORDERS)[number], TextName>> = {
  newest: 'listNewest',
  name: 'nameLabel',
  expiry: 'expiryTitle',
  'last-used': 'operatorLastUsed',
}

function isUnfiltered(query: Query): boolean {
  return FILTERS.every((name) => !query[name])
}

/** The service rejects an invalid value. */
function listOptionsOf(query: Query): OwnerListOptions {
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

function filterForm(call: Call, kind: ClientKind, catalog: Catalog): Html {
  const { texts, to, query } = call
  const select = (
    name: (typeof FILTERS)[number],
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
    ${field(call, { name: 'name', label: texts.html('nameLabel'), value: query['name'], maxLength: MAX_NAME_LENGTH })}
    ${select('product', 'listProduct', [any, ...[...catalog.products.keys()].map((id) => [id, productTitle({ texts }, catalog, id)] as const)])}
    ${select('state', 'stateLabel', [any, ...reasons.map((state) => [state, stateText({ texts }, state)] as const)])}
    ${select('unused', 'operatorLastUsed', [any, ...UNUSED_DAYS.map((days) => [days, texts.plain('listUnused', { count: Number(days) })] as const)])}
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
