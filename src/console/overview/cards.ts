import type { Client } from '../../clients/client.ts'
import type { ClientPage } from '../../clients/client-index.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName, displayText } from '../../http/pages/display-text.ts'
import { panel } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { TextName } from '../texts.ts'

/** Names on a card. */
export const NAMES = 3

/** What a card shows: a few names, and how many there are. */
interface Card {
  readonly title: TextName
  /** What it is for. */
  readonly what: TextName
  readonly path: string
  /** The first step; undefined if the caller may not take it. */
  readonly start: readonly [text: TextName, path: string] | undefined
  readonly names: readonly Html[]
  readonly count: number
  /** Whether there are more than were counted. */
  readonly hasMore: boolean
}

/** A card of the start page: the first step, or what there is. */
export function card({ texts, to }: Pick<Call, 'texts' | 'to'>, content: Card): Html {
  const { title, what, path, start, names, count, hasMore } = content
  if (count === 0) {
    return panel(
      { title: texts.html(title) },
      html`<p class="muted">${texts.html(what)}</p>
        ${start && html`<p><a class="button" href="${to(start[1])}">${texts.html(start[0])}</a></p>`}`,
    )
  }
  const total = texts.html(hasMore ? 'overviewManyCount' : 'overviewCount', { count })
  return panel(
    { title: texts.html(title) },
    html`<p class="muted small">${texts.html(what)}</p>
      <ul class="plain-list">
        ${names.map((name) => html`<li>${name}</li>`)}
      </ul>
      <p class="line">
        <span class="muted">${total}</span>
        <a href="${to(path)}" aria-label="${texts.plain('showAllLink')}: ${texts.plain(title)}"
          >${texts.html('showAllLink')}</a
        >
        ${start && start[1] !== path && html`<a class="button slim" href="${to(start[1])}">${texts.html(start[0])}</a>`}
      </p>`,
  )
}

/** The newest clients of a page that contains all clients. The list begins with the oldest. */
export function newestClients(
  { to }: Pick<Call, 'to'>,
  base: string,
  { items, cursor }: ClientPage<Client>,
): Pick<Card, 'names' | 'count' | 'hasMore'> {
  const shown = cursor === undefined ? items.slice(-NAMES).toReversed() : items.slice(0, NAMES)
  const names = shown.map(
    (client) =>
      html`<a href="${to(`${base}/${encodeURIComponent(client.clientId)}`)}"
        ><bdi>${applicationName(client)}</bdi></a
      >`,
  )
  return { names, count: items.length, hasMore: cursor !== undefined }
}

/** The names of connected applications. */
export function connectedNames(
  connections: readonly { readonly clientId: string }[],
  clients: ReadonlyMap<string, Client>,
): Pick<Card, 'names' | 'count' | 'hasMore'> {
  const names = connections.slice(0, NAMES).map(({ clientId }) => {
    const client = clients.get(clientId)
    return html`<bdi>${client ? applicationName(client) : displayText(clientId)}</bdi>`
  })
  return { names, count: connections.length, hasMore: false }
}
