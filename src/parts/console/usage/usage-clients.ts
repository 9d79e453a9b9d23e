import { findClients } from '../../front-door/clients-named-in-list.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import type { UsageRow } from '../../usage/list-usage.ts'
import type { Usage, UsageQuery } from '../../usage/usage-types.ts'
import { PAGES_OF_KIND, pathOf } from '../clients/client-kind.ts'
import { clientPath, holderLink } from '../operator/operator-page.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { sumsBy, totalOf, type Sums } from './bar-chart.ts'

const MOST = 10

/** The rows of the clients with the most calls or problems, and their names. Undefined on the page of one client. */
export async function readClients(
  call: Pick<Call, 'texts' | 'to'>,
  services: ConsoleServices,
  usage: Usage,
  { clientId: only, accountId, ...period }: Pick<UsageQuery, 'clientId' | 'accountId' | 'from' | 'to'>,
) {
  if (only !== undefined) return undefined
  const isOfAll = accountId === undefined
  const ids = isOfAll
    ? (await usage.topClients(period)).map(({ clientId }) => clientId)
    : worthShowing((await usage.read({ accountId, ...period })).list({ by: ['client', 'result'] }))
  const by = ['client', 'kind', 'operation', 'result', 'outcome'] as const
  const shown = ids.map((clientId) => ({ clientId }))
  const [found, ...lists] = await Promise.all([
    findClients(services, shown),
    ...shown.map((each) => usage.list({ ...each, ...period, by })),
  ])
  const nameOf = (id: string): string => {
    const client = found.get(id)
    return client ? applicationName(client) : unknownClientName(id)
  }
  return {
    rows: lists.flat().map((row) => ({ ...row, clientName: nameOf(row.clientId ?? '') })),

    /** @param id empty for all other clients, and for calls without a valid token */
    linkOf(id: string): Html {
      if (id === '') return call.texts.html('usageOthers')
      const client = found.get(id)
      const name = client ? html`<bdi>${nameOf(id)}</bdi>` : html`<code>${nameOf(id)}</code>`
      if (!client && !isOfAll) return name
      const path = client && !isOfAll ? pathOf(PAGES_OF_KIND[client.kind], client) : clientPath(id)
      const link = html`<a href="${call.to(`${path}/usage`)}">${name}</a>`
      if (!isOfAll || !client?.accountId) return link
      return html`${link}<br /><span class="hint">${holderLink(call, { accountId: client.accountId })}</span>`
    },
  }
}

/** The ids of the clients with the most calls, and of those with the most problems. */
function worthShowing(rows: readonly UsageRow[]): string[] {
  // The row of all further clients has a name with a space.
  const named = rows.filter(({ clientId }) => clientId?.includes(' ') === false)
  const sums = [...sumsBy(named, ({ clientId = '' }) => clientId)]
  const mostOf = (numberOf: (sums: Sums) => number) =>
    sums.toSorted(([, one], [, other]) => numberOf(other) - numberOf(one)).slice(0, MOST)
  const shown = [...mostOf(totalOf), ...mostOf(({ rejected, failed }) => rejected + failed)]
  return [...new Set(shown.map(([id]) => id))]
}
