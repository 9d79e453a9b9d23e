import type { ConsoleServices } from '../services.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { pager, ROWS_PER_PAGE } from '../elements/pager.ts'
import { filterForm, isUnfiltered, listOptionsOf } from './list-filter.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { PAGES_OF_KIND, word, type ClientKind } from './client-kind.ts'
import { clientTable } from './client-table.ts'

/** A short list has no filter. */
const SHORT_LIST = 5

/** The list of the caller's clients of one kind. */
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
              : html`${(!isWhole || items.length > SHORT_LIST) && filterForm(call, kind, services.catalog.current)}
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
