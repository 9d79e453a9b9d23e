import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import type { Call } from '../page.ts'
import { pathOf, word, type ClientKind } from './client-kind.ts'

/** The links to the pages above a page: the list, and the page of the client. */
export function trail({ texts, to }: Pick<Call, 'texts' | 'to'>, kind: ClientKind, client?: Client): Html {
  return html`<nav class="trail-links" aria-label="${texts.plain('clientsTrail')}">
    <a href="${to(kind.base)}">${texts.html(word(kind, 'ListTitle'))}</a>
    ${client && html`<span aria-hidden="true">/</span> <a href="${to(pathOf(kind, client))}"><bdi>${applicationName(client)}</bdi></a>`}
  </nav>`
}
