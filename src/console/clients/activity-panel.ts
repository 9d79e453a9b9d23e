import type { Client } from '../../clients/client.ts'
import { html, type Html } from '../../http/html.ts'
import { auditTable } from '../activity/entries.ts'
import { panel } from '../elements/elements.ts'
import type { Call } from '../page.ts'
import type { ClientPageServices } from './client-kind.ts'

const ENTRIES = 10

/** The last changes of a client. Undefined if the caller may not read the audit trail. */
export async function activityPanel(
  call: Call<Client>,
  { audit, catalog }: Pick<ClientPageServices, 'audit' | 'catalog'>,
): Promise<Html | undefined> {
  const { texts, to, has, resource: client } = call
  if (!(await call.may('audit:read'))) return undefined
  const { items } = await audit.list({ clientId: client.clientId, limit: ENTRIES })
  return panel(
    { title: texts.html('clientsActivity'), id: 'activity' },
    html`${items.length === 0 ? html`<p class="muted">${texts.html('clientsActivityNone')}</p>` : auditTable(call, items, { catalog })}
    ${has('activity') && html`<p><a href="${to('/activity')}">${texts.html('clientsActivityAll')}</a></p>`}`,
  )
}
