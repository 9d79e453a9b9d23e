import { html, type Html } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { MAX_SEARCH_LENGTH, search, type Found } from '../../front-door/search.ts'
import { hostOf, isDocumentId } from '../../../validation/document-id.ts'
import { clientTable } from '../clients/client-table.ts'
import { NEW_GATEWAY_KEY_PATH } from '../clients/new-gateway-key-page.ts'
import { columns, notice, panel, table } from '../elements/elements.ts'
import { field, form } from '../elements/form.ts'
import type { Call, Page, View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { DOCUMENTS_PATH } from './client-href.ts'
import { hasDocuments } from './documents-page.ts'
import { checksTable, healthSummary } from './health-page.ts'
import { numbersPanels } from './numbers-panel.ts'
import { clientPath, holderLink, holderPath, operatorPage, operatorView } from './operator-page.ts'

const PATH = '/operator'

/** The start page of operators: numbers, a search by ids and names, what is wrong, and the newest clients. */
export function searchPage(services: ConsoleServices): Page {
  return operatorPage({
    path: PATH,
    show: (call) => start(call, services),
    actions: {
      async find(call) {
        const text = (call.form.get('text') ?? '').trim().slice(0, MAX_SEARCH_LENGTH)
        if (text === '') return start(call, services)
        const host = call.has('clientDocuments') ? await hostOfText(services, text) : undefined
        if (host !== undefined) return { redirect: DOCUMENTS_PATH, query: { host } }
        const found = await search(services, text)
        const path = pathOfOnly(found)
        if (path !== undefined) return { redirect: path }
        const isEmpty = found.clients.length + found.accounts.length === 0
        const shown = isEmpty ? nothing(call, text) : await results(call, found, services)
        return view(call, html`${searchPanel(call)} ${shown}`)
      },
    },
  })
}

/** Named itself or by the address of a document, if people have approved an application of it. */
async function hostOfText(services: ConsoleServices, text: string): Promise<string | undefined> {
  const host = isDocumentId(text) ? hostOf(text) : text
  return host.includes('.') && (await hasDocuments(services, host)) ? host : undefined
}

function pathOfOnly({ clients, accounts }: Found): string | undefined {
  if (clients.length + accounts.length !== 1) return undefined
  const [client] = clients
  const [account] = accounts
  return client ? clientPath(client.clientId) : account && holderPath(account)
}

function view({ texts }: Call, content: Html): View {
  return operatorView({ title: texts.plain('operatorStart') }, content)
}

async function start(call: Call, services: ConsoleServices): Promise<View> {
  const { texts, to } = call
  const [health, [service, newest]] = await Promise.all([services.health(), numbersPanels(call, services)])
  const open = health.checks.filter(({ status }) => status !== 'pass')
  const checks = html`${healthSummary(call, health)} ${open.length > 0 && checksTable(call, open)}
    <p><a href="${to('/operator/health')}">${texts.html('operatorMore')}</a></p>`
  return view(
    call,
    html`${service} ${searchPanel(call)}
      <p><a href="${to(NEW_GATEWAY_KEY_PATH)}">${texts.html('gatewayCreate')}</a></p>
      ${panel({ title: texts.html('operatorHealthTitle') }, checks)} ${newest}`,
  )
}

/** The search may be for a deleted client, or for one of an account that the host no longer finds. */
function nothing({ texts, to, has }: Call, text: string): Html {
  return notice(
    'warn',
    html`<p><strong>${texts.html('operatorSearchNone')}</strong></p>
      <p>
        ${texts.html('operatorSearchNoneWhy')}
        <a href="${to(holderPath({ accountId: text }))}">${texts.html('operatorSearchNoneAccount')}</a>
        ${!isDocumentId(text) && html`· <a href="${to(clientPath(text))}">${texts.html('operatorSearchNoneClient')}</a>`}
        ${has('inspector') && html`· <a href="${to('/token-inspector')}">${texts.html('overviewInspect')}</a>`}
      </p>`,
  )
}

async function results(call: Call, { clients, accounts }: Found, services: ConsoleServices): Promise<Html> {
  const { texts } = call
  const clientsFound = clients.length > 0 && (await clientTable(call, clients, 'search', services))
  return html`${clientsFound && panel({ title: texts.html('operatorClients') }, clientsFound)}
  ${
    accounts.length > 0 &&
    panel(
      { title: texts.html('operatorAccounts') },
      table(
        columns(call, ['accountLabel', 'nameLabel']),
        accounts.map((account) => [
          holderLink(call, account),
          account.name !== undefined && html`<bdi>${displayText(account.name)}</bdi>`,
        ]),
      ),
    )
  }`
}

function searchPanel(call: Call): Html {
  const { texts } = call
  const id = field(call, {
    name: 'text',
    label: texts.html('operatorSearchField'),
    hint: texts.html('operatorSearchHint'),
    isRequired: true,
    isFocused: true,
    maxLength: MAX_SEARCH_LENGTH,
    autocomplete: 'off',
  })
  const content = html`${id}
    <div class="buttons"><button class="primary">${texts.html('operatorSearchButton')}</button></div>`
  return panel({ title: texts.html('operatorSearchTitle') }, form(call, { action: 'find' }, content))
}
