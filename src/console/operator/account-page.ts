import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../http/html.ts'
import type { Client } from '../../clients/client.ts'
import type { Grant } from '../../grants/grant.ts'
import { applicationName, displayText } from '../../http/pages/display-text.ts'
import { findClients } from '../activity/find-clients.ts'
import { stateBadge, lastUsed } from '../clients/client-state.ts'
import { badge, columns, facts, notice, panel, table } from '../elements/elements.ts'
import type { Call, Page } from '../page.ts'
import { PAGE_SIZE } from '../elements/pager.ts'
import type { TextName } from '../texts.ts'
import { holdingsOf } from './holdings.ts'
import {
  clientPath,
  holderLink,
  holderPath,
  holderOf,
  operatorPage,
  operatorView,
  LATEST_ENTRIES,
  latestEntries,
} from './operator-page.ts'

/** The pages of an account and of a user of an account. */
export function accountPages(services: ConsoleServices): Page[] {
  return ['/operator/accounts/:accountId', '/operator/accounts/:accountId/users/:userId'].map((path) =>
    operatorPage({ path, show: (call) => show(services, call) }),
  )
}

async function show(services: ConsoleServices, call: Call) {
  const { texts, to } = call
  const holder = holderOf(call.params)
  const { accountId, userId } = holder
  const [account, holdings, trail] = await Promise.all([
    services.accounts.find(accountId, userId),
    holdingsOf(services, holder, PAGE_SIZE),
    services.audit.list({ accountId, limit: LATEST_ENTRIES }),
  ])
  const granted = holdings.grants.items.map(({ clientId }) => ({ clientId, kind: 'application' as const }))
  const known = await findClients(services, [...granted, ...trail.items])
  const name = account?.claims?.['name']
  const clients = [...holdings.apiKeys.items, ...holdings.applications.items]
  const isCut = [holdings.apiKeys, holdings.applications, holdings.grants].some(({ hasMore }) => hasMore)
  const values = { account: displayText(accountId), user: displayText(userId ?? '') }
  const title: TextName = userId === undefined ? 'operatorAccountTitle' : 'operatorUserTitle'
  const revoke = html`<div class="line spread">
    <p>${texts.html('operatorRevokeAllText')}</p>
    <a class="button danger" href="${to(`${holderPath(holder)}/revoke`)}"
      >${texts.html(userId === undefined ? 'operatorRevokeAccountLink' : 'operatorRevokeUserLink')}</a
    >
  </div>`
  return operatorView(
    call,
    {
      title: texts.plain(title, values),
      heading: html`${texts.html(title, values)}
      ${!account && badge(texts.html('operatorUnknownAccount'), 'warn')}`,
    },
    html`${!account && notice('warn', html`<p>${texts.html('operatorUnknownAccountText')}</p>`)}
    ${
      (account || userId !== undefined) &&
      html`<div class="panel">
        ${facts([
          [texts.html('nameLabel'), typeof name === 'string' && displayText(name)],
          [
            texts.html('operatorLevel'),
            services.catalog.current.kycLevels.length > 0 &&
              account &&
              (account.kycLevel ?? texts.html('lowestLevel')),
          ],
          [texts.html('accountLabel'), userId !== undefined && holderLink(call, { accountId })],
        ])}
      </div>`
    }
    ${isCut && html`<p class="muted">${texts.html('operatorFirstOnly', { count: PAGE_SIZE })}</p>`}
    ${panel({ title: texts.html('operatorClients') }, clientTable(call, clients, services))}
    ${panel({ title: texts.html('navConnected') }, grantTable(call, holdings.grants.items, known))}
    ${panel({ title: texts.html('operatorRevokeAll'), isDanger: true }, revoke)}
    ${latestEntries(call, trail, { by: 'account', value: accountId }, { catalog: services.catalog, clients: known })}`,
  )
}

function clientTable(call: Call, clients: readonly Client[], { catalog }: ConsoleServices): Html {
  const { texts, to } = call
  if (clients.length === 0) return html`<p class="muted">${texts.html('operatorNoClients')}</p>`
  return table(
    columns(call, ['nameLabel', 'operatorKind', 'stateLabel', 'operatorLastUsed']),
    clients.map((client) => [
      html`<a href="${to(clientPath(client.clientId))}"><bdi>${applicationName(client)}</bdi></a>`,
      texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel'),
      stateBadge(call, catalog.current, client),
      lastUsed(call, client),
    ]),
  )
}

function grantTable(call: Call, grants: readonly Grant[], applications: ReadonlyMap<string, Client>): Html {
  const { texts, to } = call
  if (grants.length === 0) return html`<p class="muted">${texts.html('operatorNoConnections')}</p>`
  return table(
    columns(call, ['applicationLabel', 'operatorUser', 'operationsLabel', 'sinceLabel']),
    grants.map(({ clientId, accountId, userId, scopes, authorizedAt }) => {
      const application = applications.get(clientId)
      const name = application ? applicationName(application) : displayText(clientId)
      return [
        html`<a href="${to(clientPath(clientId))}"><bdi>${name}</bdi></a>`,
        userId === undefined ? '–' : holderLink(call, { accountId, userId }),
        String(scopes.length),
        texts.date(authorizedAt),
      ]
    }),
  )
}
