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

/** So many clients with the most calls are shown, and of so many with the most problems which operations have these. */
const MOST = { called: 20, wrong: 5 }

/**
 * The calls of the clients with the most calls, the problems of those with the most problems by operation, and their names.
 * Undefined on the page of one client.
 */
export async function readClients(
  call: Pick<Call, 'texts' | 'to'>,
  services: ConsoleServices,
  usage: Usage,
  { clientId: only, accountId, ...period }: Pick<UsageQuery, 'clientId' | 'accountId' | 'from' | 'to'>,
  isOfDays: boolean,
) {
  if (only !== undefined) return undefined
  const isOfAll = accountId === undefined
  // The record of an account has its clients by whole days, and not by operation.
  const listed = isOfAll ? [] : (await usage.read({ accountId, ...period })).list({ by: BY_CLIENT })
  const ofAll = isOfAll ? (await usage.topClients(period)).map(({ clientId }) => clientId) : []
  const { called, wrong } = isOfAll ? { called: ofAll, wrong: ofAll } : mostOf(listed)
  const read = isOfDays ? wrong : [...new Set([...called, ...wrong])]
  const both = [...called, ...wrong].map((clientId) => ({ clientId }))
  const [names, ...lists] = await Promise.all([
    findNames(call, services, both, isOfAll),
    ...read.map((clientId) => usage.list({ clientId, ...period, by: [...BY_CLIENT, 'operation'] })),
  ])
  const byOperation = lists.flat()
  const isCalled = ({ clientId = '' }: UsageRow) => called.includes(clientId)
  const calls = isOfAll || !isOfDays ? byOperation : listed.filter(isCalled)
  return { ...names, byOperation, calls }
}

/** The names of clients, with links to their usage. @param isOfAll for operators */
export async function findNames(
  call: Pick<Call, 'texts' | 'to'>,
  services: ConsoleServices,
  items: readonly { readonly clientId?: string | undefined }[],
  isOfAll = false,
) {
  const found = await findClients(services, items)
  const nameOf = (id: string): string => {
    const client = found.get(id)
    return client ? applicationName(client) : unknownClientName(id)
  }
  return {
    nameOf,

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

const BY_CLIENT = ['client', 'kind', 'result', 'outcome'] as const

/** The ids of the clients with the most calls, and of those with the most problems. */
function mostOf(rows: readonly UsageRow[]) {
  // The row of all further clients has a name with a space.
  const sums = [...sumsBy(rows, ({ clientId = '' }) => clientId)].filter(([id]) => !id.includes(' '))
  const most = (numberOf: (sums: Sums) => number, count: number) =>
    sums
      .filter(([, each]) => numberOf(each) > 0)
      .toSorted(([, one], [, other]) => numberOf(other) - numberOf(one))
      .slice(0, count)
      .map(([id]) => id)
  const problemsIn = ({ rejected, failed }: Sums) => rejected + failed
  return { called: most(totalOf, MOST.called), wrong: most(problemsIn, MOST.wrong) }
}
