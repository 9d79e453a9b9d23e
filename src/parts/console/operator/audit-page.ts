import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../../http/html.ts'
import { auditPage, shownTrail } from '../activity/audit-table.ts'
import { field } from '../elements/form.ts'
import type { Call, Page } from '../page-types.ts'
import { operatorPage, operatorView } from './operator-page.ts'

const PATH = '/operator/audit'

const FIELDS = { account: 'accountId', client: 'clientId', host: 'documentHost', actor: 'actor' } as const

/** The audit trail of the whole service, and its filters. */
export function operatorAuditPage(services: ConsoleServices): Page {
  return operatorPage({
    path: PATH,
    async show(call) {
      const { by = '', value = '' } = call.query
      const filter =
        Object.hasOwn(FIELDS, by) && value.trim() !== '' ? FIELDS[by as keyof typeof FIELDS] : undefined
      const entries = await auditPage(call, services, {
        path: PATH,
        filter: filter ? { [filter]: value.trim() } : {},
        empty: 'operatorTrailEmpty',
        isForOperators: true,
      })
      return operatorView(
        { title: call.texts.plain('operatorAuditTitle') },
        html`${filterForm(call, by, value, shownTrail(call))} ${entries}`,
      )
    },
  })
}

function filterForm(call: Call, by: string, value: string, trail: string): Html {
  const { texts, to } = call
  const option = (name: string, chosen: string, text: Html) =>
    html`<option value="${name}" ${name === chosen && html`selected`}>${text}</option>`
  return html`<form method="get" action="${to(PATH)}" class="filter">
    <div class="field">
      <label for="by">${texts.html('operatorAuditBy')}</label>
      <select id="by" name="by">
        ${option('', by, texts.html('listAny'))} ${option('account', by, texts.html('operatorAuditAccount'))}
        ${option('client', by, texts.html('operatorAuditClient'))}
        ${option('host', by, texts.html('operatorAuditHost'))}
        ${option('actor', by, texts.html('operatorAuditActor'))}
      </select>
    </div>
    ${field(call, { name: 'value', label: texts.html('operatorAuditValue'), value, isCode: true })}
    <div class="field">
      <label for="trail">${texts.html('activityFilterLabel')}</label>
      <select id="trail" name="trail">
        ${option('changes', trail, texts.html('activityChangesLink'))}
        ${option('failures', trail, texts.html('activityFailuresLink'))}
      </select>
    </div>
    <button>${texts.html('listFilter')}</button>
  </form>`
}
