import type { Catalog } from '../../../catalog/catalog.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import type { ClientState } from '../../../clients/why-no-token.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { badge, columns, table } from '../elements/elements.ts'
import { clientPath, holderLink } from '../operator/operator-page.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { findPeople } from '../activity/people.ts'
import { PAGES_OF_KIND, pathOf } from './client-kind.ts'
import { lastUsed, productTitle, stateBadge } from './no-token-state.ts'
import { expiryBadge } from './expiry-view.ts'

const MAX_PRODUCTS = 3

/** In the list of an owner, and in those of operators: the clients of an account, and those of a search. */
const COLUMNS = {
  owner: [
    'nameLabel',
    'belongsToLabel',
    'productsLabel',
    'stateLabel',
    'expiryTitle',
    'operatorLastUsed',
    'clientsCallsWeek',
    'createdLabel',
  ],
  account: ['nameLabel', 'operatorKind', 'stateLabel', 'operatorLastUsed', 'clientsCallsWeek'],
  search: ['nameLabel', 'operatorKind', 'accountLabel', 'stateLabel', 'operatorLastUsed'],
} as const

type Column = (typeof COLUMNS)[keyof typeof COLUMNS][number]

/** The clients of a list as a table: which columns owners and operators see. */
export async function clientTable(
  call: Call,
  clients: readonly Client[],
  list: keyof typeof COLUMNS,
  { statesOf, catalog, keyPolicy, accounts, usage }: ConsoleServices,
): Promise<Html> {
  const { texts, to } = call
  const isOwner = list === 'owner'
  const ofUsers = isOwner ? clients.filter(({ userId }) => userId !== undefined) : []
  const { accountId = '' } = clients[0] ?? {}
  const clientIds = clients.map(({ clientId }) => clientId)
  const now = Math.floor(Date.now() / 1000)
  const week = { accountId, clientIds, from: now - 6 * 86_400, to: now }
  const [states, people, calls] = await Promise.all([
    statesOf(clients),
    findPeople(accounts, ofUsers),
    list === 'search' ? undefined : usage?.list({ ...week, by: ['client', 'kind'] }),
  ])
  const callsOf = (id: string) => calls?.find(({ clientId, kind }) => clientId === id && kind === 'call')

  const cellsOf = (client: Client, state: Partial<ClientState>): Readonly<Record<Column, HtmlValue>> => ({
    nameLabel: html`<a
        href="${to(isOwner ? pathOf(PAGES_OF_KIND[client.kind], client) : clientPath(client.clientId))}"
        ><bdi>${applicationName(client)}</bdi></a
      >
      ${isOwner && isPublicClient(client) && badge(texts.html('publicBadge'))}
      ${isOwner && isGatewayKey(client) && state.noToken !== 'gateway' && badge(texts.html('gatewayBadge'))}
      ${isOwner && client.secretHint !== undefined && html`<div><code class="muted" dir="ltr">${client.secretHint}</code></div>`}`,
    operatorKind: html`<span class="whole"
      >${texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel')}</span
    >`,
    accountLabel: holderLink(call, { accountId: client.accountId }),
    belongsToLabel: client.userId === undefined ? texts.html('ownerAccount') : people(client),
    productsLabel: productsOf(call, client, catalog.current),
    stateLabel: html`${stateBadge(call, state.noToken)}
    ${isOwner && (state.knownToFormer ?? []).length > 0 && badge(texts.html('clientsRotate'), 'warn')}`,
    expiryTitle:
      expiryBadge(call, client, keyPolicy) ??
      (client.expiresAt === undefined
        ? html`<span class="muted">${texts.html('never')}</span>`
        : texts.expiry(client.expiresAt)),
    operatorLastUsed: lastUsed(call, client),
    clientsCallsWeek: isGatewayKey(client)
      ? html`<span aria-hidden="true">–</span><span class="unseen">${texts.html('none')}</span>`
      : texts.number(callsOf(client.clientId)?.count ?? 0),
    createdLabel: texts.ago(client.createdAt),
  })
  const hasExpiry = clients.some(({ expiresAt }) => expiresAt !== undefined)
  const left = [
    ...(hasExpiry ? [] : ['expiryTitle']),
    ...(ofUsers.length > 0 ? [] : ['belongsToLabel']),
    ...(calls ? [] : ['clientsCallsWeek']),
  ]
  const names: readonly Column[] = COLUMNS[list].filter((name) => !left.includes(name))
  const rows = clients.map((client, at) => {
    const cells = cellsOf(client, states[at] ?? {})
    return names.map((name) => cells[name])
  })
  return table(columns(call, names), rows)
}

function productsOf({ texts }: Call, { products }: Client, catalog: Catalog): Html {
  if (products.length === 0) return html`<span class="muted">${texts.html('none')}</span>`
  const titles = products.slice(0, MAX_PRODUCTS).map((id) => productTitle({ texts }, catalog, id))
  const others = products.length - titles.length
  return html`${titles.join(', ')}${others > 0 && html` <span class="muted whole">+${others}</span>`}`
}
