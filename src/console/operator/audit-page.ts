import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../http/html.ts'
import { auditTable } from '../activity/entries.ts'
import { findClients } from '../activity/find-clients.ts'
import { PAGE_SIZE, pager } from '../elements/pager.ts'
import { page, type Call, type Page } from '../page.ts'
import { operatorView } from './operator-page.ts'

const PATH = '/operator/audit'

/** The fields by which the trail can be filtered. */
const FIELDS = { account: 'accountId', client: 'clientId', actor: 'actor' } as const

/** The audit trail of the whole service. */
export function auditPage(services: ConsoleServices): Page {
  const { audit, catalog } = services
  return page({
    path: PATH,
    section: 'operator',
    access: 'operator',
    async show(call) {
      const { texts, query } = call
      const { by = '', value = '', cursor: from } = query
      const trail = query['trail'] === 'failures' ? 'failures' : 'changes'
      const filter =
        Object.hasOwn(FIELDS, by) && value.trim() !== '' ? FIELDS[by as keyof typeof FIELDS] : undefined
      const { items, cursor } = await audit.list({
        trail,
        cursor: from,
        limit: PAGE_SIZE,
        ...(filter && { [filter]: value.trim() }),
      })
      const clients = await findClients(services, items)
      const entries = auditTable(call, items, { catalog, clients, isForOperators: true })
      return operatorView(
        call,
        { title: texts.plain('operatorAuditTitle'), path: PATH },
        html`<div class="panel">${filterForm(call, by, value, trail)}</div>
          ${
            items.length === 0
              ? html`<div class="panel empty"><p>${texts.html('operatorAuditEmpty')}</p></div>`
              : html`<div class="panel">${entries}</div>`
          }
          ${pager(call, PATH, cursor)}`,
      )
    },
  })
}

function filterForm({ texts, to }: Call, by: string, value: string, trail: string): Html {
  const option = (name: string, chosen: string, text: Html) =>
    html`<option value="${name}" ${name === chosen && html`selected`}>${text}</option>`
  return html`<form method="get" action="${to(PATH)}" class="filter">
    <div class="field">
      <label for="by">${texts.html('operatorAuditBy')}</label>
      <select id="by" name="by">
        ${option('', by, texts.html('operatorAuditEverything'))}
        ${option('account', by, texts.html('operatorAuditAccount'))}
        ${option('client', by, texts.html('operatorAuditClient'))}
        ${option('actor', by, texts.html('operatorAuditActor'))}
      </select>
    </div>
    <div class="field grows">
      <label for="value">${texts.html('operatorAuditValue')}</label>
      <input type="text" id="value" name="value" value="${value}" class="code" spellcheck="false" dir="ltr" />
    </div>
    <div class="field">
      <label for="trail">${texts.html('operatorAuditTrail')}</label>
      <select id="trail" name="trail">
        ${option('changes', trail, texts.html('activityChangesLink'))}
        ${option('failures', trail, texts.html('activityFailuresLink'))}
      </select>
    </div>
    <button>${texts.html('operatorAuditButton')}</button>
  </form>`
}
