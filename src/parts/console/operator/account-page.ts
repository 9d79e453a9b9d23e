import type { ConsoleServices } from '../services.ts'
import { html, type Html } from '../../../http/html.ts'
import type { Client } from '../../../clients/client.ts'
import type { Grant } from '../../../grants/grant.ts'
import type { Account } from '../../../host/accounts.ts'
import { PAGE_LIMIT } from '../../../validation/page-limit.ts'
import { applicationName, displayText, unknownClientName } from '../../../http/pages/display-text.ts'
import { isCorruptRecord } from '../../../store/corrupt-record.ts'
import { findNamed } from '../activity/audit-table.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { clientTable } from '../clients/client-table.ts'
import { confirmLink } from '../elements/confirm.ts'
import { requireTypedName, typedName } from '../elements/form.ts'
import { badge, columns, facts, notice, panel, table } from '../elements/elements.ts'
import { ROWS_PER_PAGE } from '../elements/pager.ts'
import type { Call, Confirmation, Page, Redirect, View } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { countsOf, holdingsOf } from './holdings.ts'
import {
  holderLink,
  holderPath,
  holderOf,
  operatorPage,
  operatorTrail,
  operatorView,
  LATEST_ENTRIES,
  latestEntries,
} from './operator-page.ts'
import { clientHref } from './client-href.ts'

/** The pages of an account and of a user: what it has, and the form that erases it after its id was typed. */
export function accountPages(services: ConsoleServices): Page[] {
  return ['/operator/accounts/:accountId', '/operator/accounts/:accountId/users/:userId'].map((path) =>
    operatorPage({
      path,
      show: (call) => show(services, call),
      actions: {
        erase: {
          freshSignIn: 'operator',
          confirm: (call) => askToErase(services, call),
          fields: (call) => typedName(call, erasedName(call).shown, erasedName(call).text),
          run: (call) => erase(services, call),
        },
      },
    }),
  )
}

function erasedName({ params }: Pick<Call, 'params'>) {
  const { accountId, userId } = holderOf(params)
  const id = userId ?? accountId
  const text = userId === undefined ? 'operatorEraseTypeAccount' : 'operatorEraseTypeUser'
  return { id, shown: displayText(id, 255) || id, text } as const
}

async function askToErase(services: ConsoleServices, call: Call): Promise<Confirmation> {
  const { texts } = call
  const holder = holderOf(call.params)
  const { accountId, userId } = holder
  const [account, holdings] = await Promise.all([
    services.accounts.find(accountId, userId),
    holdingsOf(services, holder, PAGE_LIMIT.max),
  ])
  const counts = countsOf(call, holdings).filter((count) => count !== undefined)
  const hits = counts.length > 0 ? counts.map((count) => html`<div>${count}</div>`) : texts.html('none')
  const about = facts([
    [texts.html('nameLabel'), nameOf(account)],
    [texts.html('operatorRevokeHits'), hits],
  ])
  const isAccount = userId === undefined
  const stays = isAccount ? 'operatorEraseStays' : 'operatorEraseStaysOfUser'
  return {
    title: isAccount ? 'operatorEraseAccountTitle' : 'operatorEraseUserTitle',
    what: 'operatorEraseOutside',
    use: html`<div class="panel">${about}</div>`,
    more: ['operatorEraseDeleted', stays, 'operatorEraseFinal'],
    button: isAccount ? 'operatorEraseAccount' : 'operatorEraseUser',
    isDanger: true,
    values: { account: displayText(accountId), user: displayText(userId ?? '') },
    trail: operatorTrail(call, holder),
  }
}

function nameOf(account: Account | undefined) {
  const name = account?.claims?.['name']
  return typeof name === 'string' && displayText(name)
}

async function erase({ erase: erasePerson }: ConsoleServices, call: Call): Promise<View | Redirect> {
  const { id, shown } = erasedName(call)
  requireTypedName(call, shown, id)
  try {
    await erasePerson(holderOf(call.params), call.change)
  } catch (error) {
    // This error is thrown only after everything else was erased, and its message says so.
    if (!isCorruptRecord(error)) throw error
    const title = call.texts.plain('operatorPartly')
    return operatorView({ title }, notice('warn', html`<p lang="en" dir="ltr">${error.message}</p>`))
  }
  return { redirect: '/operator', done: 'doneOperatorErased' }
}

async function show(services: ConsoleServices, call: Call) {
  const { texts, to } = call
  const holder = holderOf(call.params)
  const { accountId, userId } = holder
  const [account, holdings, trail] = await Promise.all([
    services.accounts.find(accountId, userId),
    holdingsOf(services, holder, ROWS_PER_PAGE),
    services.audit.list({ accountId, limit: LATEST_ENTRIES }),
  ])
  const clients = [...holdings.apiKeys.items, ...holdings.applications.items]
  const [known, named, clientList] = await Promise.all([
    findClients(services, holdings.grants.items),
    findNamed(services, trail.items),
    clients.length === 0
      ? html`<p class="muted">${texts.html('operatorNoClients')}</p>`
      : clientTable(call, clients, 'account', services),
  ])
  const hasLevels = services.catalog.current.kycLevels.length > 0
  const level = hasLevels && account && (account.kycLevel ?? texts.html('lowestLevel'))
  const isCut = [holdings.apiKeys, holdings.applications, holdings.grants].some(({ hasMore }) => hasMore)
  const values = { account: displayText(accountId), user: displayText(userId ?? '') }
  const title: TextName = userId === undefined ? 'operatorAccountTitle' : 'operatorUserTitle'
  const revoke = html`<div class="line spread">
    <p>${texts.html('operatorRevokeAllText')}</p>
    <a class="button danger" href="${to(`${holderPath(holder)}/revoke`)}"
      >${texts.html(userId === undefined ? 'operatorRevokeAccountLink' : 'operatorRevokeUserLink')}</a
    >
  </div>`
  const eraseName = texts.html(userId === undefined ? 'operatorEraseAccount' : 'operatorEraseUser')
  const eraseRow = html`<div class="line spread">
    <p>${texts.html('operatorEraseText')}</p>
    ${confirmLink(call, { action: 'erase', style: 'danger' }, eraseName)}
  </div>`
  return operatorView(
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
          [texts.html('nameLabel'), nameOf(account)],
          [texts.html('operatorLevel'), level],
          [texts.html('accountLabel'), userId !== undefined && holderLink(call, { accountId })],
        ])}
      </div>`
    }
    ${isCut && html`<p class="muted">${texts.html('operatorFirstOnly', { count: ROWS_PER_PAGE })}</p>`}
    ${panel({ title: texts.html('operatorClients') }, clientList)}
    ${panel({ title: texts.html('navConnected') }, grantTable(call, holdings.grants.items, known))}
    ${panel({ title: texts.html('operatorRevokeAll'), isDanger: true }, revoke)}
    ${panel({ title: texts.html('operatorErase'), isDanger: true }, eraseRow)}
    ${latestEntries(call, trail, { by: 'account', value: accountId }, named)}`,
  )
}

function grantTable(call: Call, grants: readonly Grant[], applications: ReadonlyMap<string, Client>): Html {
  const { texts } = call
  if (grants.length === 0) return html`<p class="muted">${texts.html('operatorNoConnections')}</p>`
  return table(
    columns(call, ['applicationLabel', 'operatorUser', 'operationsLabel', 'sinceLabel']),
    grants.map(({ clientId, accountId, userId, scopes, authorizedAt }) => {
      const application = applications.get(clientId)
      const name = application ? applicationName(application) : unknownClientName(clientId)
      const href = clientHref(call, clientId)
      return [
        href === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${href}"><bdi>${name}</bdi></a>`,
        userId === undefined ? '–' : holderLink(call, { accountId, userId }),
        String(scopes.length),
        texts.ago(authorizedAt),
      ]
    }),
  )
}
