import type { AuditPage } from '../../../audit/read-trail.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { html, type Html } from '../../../http/html.ts'
import { clientTable } from '../clients/client-table.ts'
import { numbers, panel } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

const DAY_MS = 86_400_000
/** The newest entries of the audit trail, which are counted. */
const ENTRIES = 200
const NEWEST = 5

/** What the service has done lately, and the newest clients. */
export async function numbersPanels(call: Call, services: ConsoleServices): Promise<readonly Html[]> {
  const { texts, to } = call
  const { audit, usage } = services
  const now = Math.floor(Date.now() / 1000)
  const [rows, failures, changes] = await Promise.all([
    usage?.list({ from: now - (now % 3600) - 23 * 3600, to: now, by: ['hour', 'kind'] }),
    audit.list({ trail: 'failures', limit: ENTRIES }),
    audit.list({ limit: ENTRIES }),
  ])
  function countOf(wanted: 'call' | 'token_request', since = 0) {
    const found = rows?.filter(({ kind, at = 0 }) => kind === wanted && at >= since)
    return found && texts.number(found.reduce((sum, { count }) => sum + count, 0))
  }

  function entriesOf({ items, cursor }: AuditPage, days: number, wanted?: string): string {
    const since = now * 1000 - days * DAY_MS
    const found = items.filter(({ name, at }) => at >= since && (wanted ?? name) === name)
    const isWhole = cursor === undefined || (items.at(-1)?.at ?? 0) < since
    return texts.number(found.reduce((sum, { count = 1 }) => sum + count, 0)) + (isWhole ? '' : '+')
  }

  const link = (name: TextName, path: string, query: Record<string, string>) =>
    html`<a href="${to(path, query)}">${texts.html(name)}</a>`
  const usageLink = (name: TextName) => link(name, '/operator/usage', { days: '1' })
  const created = changes.items.filter(({ name }) => name === 'client.created').slice(0, NEWEST)
  const clients = [...(await findClients(services, created)).values()]
  const service = html`<div class="panel">
    ${numbers([
      [usageLink('clientsCallsToday'), countOf('call', now - (now % 86_400))],
      [usageLink('operatorCalls'), countOf('call')],
      [usageLink('operatorTokenRequests'), countOf('token_request')],
      [link('operatorFailures', '/operator/audit', { trail: 'failures' }), entriesOf(failures, 1)],
      [texts.html('operatorLeaks'), entriesOf(changes, 7, 'client.compromised')],
    ])}
  </div>`
  if (clients.length === 0) return [service]
  const newest = await clientTable(call, clients, 'search', services)
  return [service, panel({ title: texts.html('operatorNewest') }, newest)]
}
