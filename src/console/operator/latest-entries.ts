import type { AuditPage } from '../../audit/read-trail.ts'
import { html, type Html } from '../../http/html.ts'
import { auditTable, type AuditTableOptions } from '../activity/entries.ts'
import { panel } from '../elements/elements.ts'
import type { Call } from '../page.ts'

/** Entries on the page of a client or account. */
export const LATEST = 10

/** The newest entries of a client or account, with a link to all of them. @param by what the whole trail is filtered by */
export function latestEntries(
  call: Pick<Call, 'texts' | 'to' | 'has' | 'caller'>,
  { items }: AuditPage,
  by: { readonly by: 'account' | 'client'; readonly value: string },
  { catalog, clients }: Pick<AuditTableOptions, 'catalog' | 'clients'>,
): Html {
  const { texts, to } = call
  return panel(
    { title: texts.html('operatorTrailTitle') },
    items.length === 0
      ? html`<p class="muted">${texts.html('operatorTrailEmpty')}</p>`
      : html`${auditTable(call, items, { catalog, clients, isForOperators: true })}
          <p><a href="${to('/operator/audit', by)}">${texts.html('operatorTrailLink')}</a></p>`,
  )
}
