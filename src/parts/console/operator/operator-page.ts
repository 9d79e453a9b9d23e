import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { actorOf } from '../../../host/actor.ts'
import type { FoundAccount } from '../../../host/accounts.ts'
import { page, type Action, type Call, type Page, type View } from '../page-types.ts'
import { panel } from '../elements/elements.ts'
import type { AuditPage } from '../../../audit/read-trail.ts'
import { auditTable, type AuditTableOptions } from '../activity/audit-table.ts'

/** Adds a page that only operators may open, and whose forms only operators may send. */
export function operatorPage<Resource = undefined>({
  actions = {},
  section = 'operator',
  ...definition
}: Pick<Page<Resource>, 'path' | 'find' | 'freshSignIn' | 'show'> & {
  /** @default 'operator' */
  readonly section?: 'operator' | 'clientDocuments'
  readonly actions?: { readonly [name: string]: Action<Resource>['run'] | Omit<Action<Resource>, 'access'> }
}): Page {
  const access = 'operator'
  const guarded = Object.entries(actions).map(
    ([name, action]) =>
      [name, { ...(typeof action === 'function' ? { run: action } : action), access }] as const,
  )
  return page<Resource>({ ...definition, section, access, actions: Object.fromEntries(guarded) })
}

export function operatorView(
  { title, heading = title }: { title: string; heading?: HtmlValue },
  content: HtmlValue,
): View {
  return {
    title,
    body: html`<h1>${heading}</h1>
      ${content}`,
  }
}

export function clientPath(clientId: string): string {
  return `/operator/clients/${encodeURIComponent(clientId)}`
}

export interface Holder {
  readonly accountId: string
  readonly userId?: string
}

export function holderOf({ accountId = '', userId }: Readonly<Record<string, string>>): Holder {
  return { accountId, ...(userId !== undefined && { userId }) }
}

export function holderPath({ accountId, userId }: FoundAccount): string {
  const user = userId === undefined ? '' : `/users/${encodeURIComponent(userId)}`
  return `/operator/accounts/${encodeURIComponent(accountId)}${user}`
}

export function holderLink({ to }: Pick<Call, 'to'>, holder: FoundAccount): Html {
  return html`<a href="${to(holderPath(holder))}"><bdi>${displayText(actorOf(holder), 200)}</bdi></a>`
}

/** The links to the pages above a page of an account or user. @param link to the page above, if it is of a client */
export function operatorTrail(
  { texts, to }: Pick<Call, 'texts' | 'to'>,
  holder: FoundAccount,
  link?: HtmlValue,
): Html {
  const slash = html`<span aria-hidden="true">/</span>`
  return html`<nav class="trail-links" aria-label="${texts.plain('clientsTrail')}">
    <a href="${to('/operator')}">${texts.html('navOperator')}</a> ${slash} ${holderLink({ to }, holder)}
    ${link && html`${slash} ${link}`}
  </nav>`
}

export const LATEST_ENTRIES = 10

/** The newest entries of a client or account, with a link to all its entries. @param by the filter of that link */
export function latestEntries(
  call: Pick<Call, 'texts' | 'to' | 'has' | 'caller'>,
  { items }: AuditPage,
  by: { readonly by: 'account' | 'client'; readonly value: string },
  named: AuditTableOptions,
): Html {
  const { texts, to } = call
  return panel(
    { title: texts.html('latestActivity') },
    items.length === 0
      ? html`<p class="muted">${texts.html('operatorTrailEmpty')}</p>`
      : html`${auditTable(call, items, { ...named, isForOperators: true })}
          <p><a href="${to('/operator/audit', by)}">${texts.html('showAllLink')}</a></p>`,
  )
}
