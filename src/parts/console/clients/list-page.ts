import type { ConsoleServices } from '../services.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { KeyPolicy } from '../../../clients/expiry.ts'
import type { ClientState } from '../../../clients/client-states.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { badge, columns, table } from '../elements/elements.ts'
import { pager, ROWS_PER_PAGE } from '../elements/pager.ts'
import { filterForm, isUnfiltered, listOptionsOf } from './list-filter.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { KINDS, pathOf, word, type ClientKind } from './client-kind.ts'
import { expiryBadge } from './expiry-panel.ts'
import { lastUsed, productTitle, stateBadge } from './client-state.ts'

const MAX_PRODUCTS = 3

/** A short list has no filter. */
const SHORT_LIST = 5

/** The list of the caller's clients of one kind. */
export function listPage(kind: ClientKind, { catalog, keyPolicy, statesOf }: ConsoleServices): Page {
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
      const states = await statesOf(items)
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
              : html`${(!isWhole || items.length > SHORT_LIST) && filterForm(call, kind, catalog.current)}
                  <section class="panel ${items.length === 0 && 'empty'}">
                    ${
                      items.length === 0
                        ? html`<p>${texts.html('listNothing')}</p>`
                        : rows(call, kind, items, { catalog: catalog.current, states, keyPolicy })
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
  const other = KINDS[kind.kind === 'apiKey' ? 'application' : 'apiKey']
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

function rows(
  call: Call,
  kind: ClientKind,
  clients: readonly Client[],
  {
    catalog,
    states,
    keyPolicy,
  }: {
    readonly catalog: Catalog
    readonly states: readonly ClientState[]
    readonly keyPolicy: KeyPolicy
  },
): Html {
  const { texts, to } = call
  return table(
    columns(call, ['nameLabel', 'productsLabel', 'stateLabel', 'clientsColumnLastUsed', 'createdLabel']),
    clients.map((client, at) => [
      html`<a href="${to(pathOf(kind, client))}"><bdi>${applicationName(client)}</bdi></a>
        ${isPublicClient(client) && badge(texts.html('publicBadge'))}
        ${isGatewayKey(client) && states[at]?.noToken !== 'gateway' && badge(texts.html('gatewayBadge'))}`,
      productsOf(call, client, catalog),
      html`${stateBadge(call, states[at]?.noToken)} ${expiryBadge(call, client, keyPolicy)}
      ${(states[at]?.knownToFormer.length ?? 0) > 0 && badge(call.texts.html('clientsRotateSoon'), 'warn')}`,
      lastUsed(call, client),
      texts.ago(client.createdAt),
    ]),
  )
}

function productsOf({ texts }: Call, { products }: Client, catalog: Catalog): Html {
  if (products.length === 0) return html`<span class="muted">${texts.html('none')}</span>`
  const titles = products.slice(0, MAX_PRODUCTS).map((id) => productTitle({ texts }, catalog, id))
  const others = products.length - titles.length
  return html`${titles.join(', ')}${others > 0 && html` <span class="muted whole">+${others}</span>`}`
}
