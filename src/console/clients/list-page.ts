import type { ConsoleServices } from '../services.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Client } from '../../clients/client.ts'
import { html, type Html, type HtmlValue } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { columns, table } from '../elements/elements.ts'
import { PAGE_SIZE, pager } from '../elements/pager.ts'
import { page, type Call, type Page } from '../page.ts'
import { pathOf, word, type ClientKind } from './client-kind.ts'
import { lastUsed, productTitle, stateBadge } from './client-state.ts'

/** Products that a row names. */
const MAX_PRODUCTS = 3

/** The list of the caller's clients of one kind. */
export function listPage(kind: ClientKind, { catalog }: ConsoleServices): Page {
  return page({
    path: kind.base,
    section: kind.section,
    access: `${kind.permissions}:read`,
    async show(call) {
      const { texts, caller, query } = call
      const { cursor } = query
      const [clients, mayCreate] = await Promise.all([
        kind.service.listByOwner(caller.accountId, { limit: PAGE_SIZE, ...(cursor && { cursor }) }),
        call.may(`${kind.permissions}:create`),
      ])
      const isEmpty = clients.items.length === 0 && clients.cursor === undefined && cursor === undefined
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
              : html`<section class="panel">
                  ${rows(call, kind, clients.items, catalog.current)}
                  ${pager(call, kind.base, clients.cursor)}
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

/**
 * The text of an empty list: what such a client is for, and when a client of the other kind fits better.
 */
function emptyState({ texts, to, has }: Call, kind: ClientKind, button: HtmlValue): Html {
  const [other, path] =
    kind.kind === 'apiKey'
      ? (['applications', '/applications'] as const)
      : (['apiKeys', '/api-keys'] as const)
  return html`<section class="panel empty">
    <h2>${texts.html(word(kind, 'EmptyTitle'))}</h2>
    <p>${texts.html(word(kind, 'EmptyWhat'))}</p>
    <p class="muted">
      ${texts.html(word(kind, 'EmptyOther'))}
      ${has(other) && html`<a href="${to(path)}">${texts.html(word(kind, 'EmptyOtherLink'))}</a>`}
    </p>
    ${button}
  </section>`
}

function rows(call: Call, kind: ClientKind, clients: readonly Client[], catalog: Catalog): Html {
  const { texts, to } = call
  return table(
    columns(call, ['nameLabel', 'productsLabel', 'stateLabel', 'clientsColumnLastUsed', 'createdLabel']),
    clients.map((client) => [
      html`<a href="${to(pathOf(kind, client))}"><bdi>${applicationName(client)}</bdi></a>`,
      productsOf(call, client, catalog),
      stateBadge(call, catalog, client),
      lastUsed(call, client),
      texts.date(client.createdAt),
    ]),
  )
}

/** The titles of the first products, and how many more there are. */
function productsOf({ texts }: Call, { products }: Client, catalog: Catalog): Html {
  if (products.length === 0) return html`<span class="muted">${texts.html('none')}</span>`
  const titles = products.slice(0, MAX_PRODUCTS).map((id) => productTitle({ texts }, catalog, id))
  const others = products.length - titles.length
  return html`${titles.join(', ')}${others > 0 && html` <span class="muted whole">+${others}</span>`}`
}
