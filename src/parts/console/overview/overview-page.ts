import type { Client } from '../../../clients/client.ts'
import type { ClientPage } from '../../../clients/list-clients.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import { auditTable, findNamed } from '../activity/audit-table.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { stateBadge } from '../clients/client-state.ts'
import { panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'

const MAX_COUNT = 100
const NAMES = 3
const ENTRIES = 5

/** The start page: what the account has, or what to do first. */
export function overviewPage(services: ConsoleServices): Page {
  return page({ path: '/', section: 'overview', access: 'signed-in', show: (call) => show(services, call) })
}

async function read({ apiKeys, applications, connections, audit, accounts }: ConsoleServices, call: Call) {
  const { accountId, userId } = call.caller
  const [mayKeys, mayApplications, mayConnected, mayActivity] = await Promise.all([
    call.may('keys:read'),
    call.may('applications:read'),
    call.may('authorizations:read'),
    call.may('audit:read'),
  ])
  const options = { limit: MAX_COUNT }
  const [account, keys, apps, connected, trail, mayCreateKey, mayCreateApplication] = await Promise.all([
    accounts.find(accountId, userId),
    mayKeys ? apiKeys.listByOwner(accountId, options) : undefined,
    mayApplications ? applications.listByOwner(accountId, options) : undefined,
    mayConnected ? connections.list({ accountId, userId }) : undefined,
    mayActivity ? audit.list({ accountId, limit: ENTRIES }) : undefined,
    call.may('keys:create'),
    call.may('applications:create'),
  ])
  return { account, keys, apps, connected, entries: trail?.items ?? [], mayCreateKey, mayCreateApplication }
}

async function show(services: ConsoleServices, call: Call) {
  const { texts, has } = call
  const { catalog } = services
  const found = await read(services, call)
  const { account, keys, apps, connected, entries } = found
  const [applications, named] = await Promise.all([
    findClients(services, (connected ?? []).slice(0, NAMES)),
    findNamed(services, entries),
  ])
  const isEmpty = [keys?.items, apps?.items, connected].every(
    (list) => list === undefined || list.length === 0,
  )
  const cards = [
    keys && has('apiKeys') && (await clientsCard(services, call, KEYS, keys, found.mayCreateKey)),
    apps &&
      has('applications') &&
      (await clientsCard(services, call, APPLICATIONS, apps, found.mayCreateApplication)),
    connected && has('connected') && connectedCard(call, connected, applications),
  ]
  const mayOnlyLook = !found.mayCreateKey && !found.mayCreateApplication
  const level = account?.kycLevel ?? texts.plain('lowestLevel')
  return {
    title: texts.plain('navOverview'),
    body: html`<div class="line spread">
        <h1>${texts.html(isEmpty && !mayOnlyLook ? 'overviewStart' : 'navOverview')}</h1>
        ${catalog.current.kycLevels.length > 0 && html`<span class="muted">${texts.html('overviewLevel', { level })}</span>`}
      </div>
      ${mayOnlyLook && lookingOnly(call)}
      <div class="columns">${cards}</div>
      ${(keys ?? apps) && !isEmpty && html`<p><a href="${call.to('/hygiene')}">${texts.html('hygieneLink')}</a></p>`}
      ${entries.length > 0 && latest(call, auditTable(call, entries, named))}`,
  }
}

function lookingOnly({ texts, to, has }: Call): Html {
  return html`<div class="line spread">
    <p class="muted">${texts.html('overviewMayLook')}</p>
    ${has('inspector') && html`<a class="button" href="${to('/token-inspector')}">${texts.html('overviewInspect')}</a>`}
  </div>`
}

const KEYS = {
  title: 'navApiKeys',
  what: 'overviewKeysWhat',
  create: 'clientsKeyCreate',
  path: '/api-keys',
} as const
const APPLICATIONS = {
  title: 'navApplications',
  what: 'overviewApplicationsWhat',
  create: 'clientsAppCreate',
  path: '/applications',
} as const

async function clientsCard(
  { statesOf }: ConsoleServices,
  call: Call,
  { create, ...texts }: typeof KEYS | typeof APPLICATIONS,
  { items, cursor }: ClientPage<Client>,
  mayCreate: boolean,
): Promise<Html> {
  const hasMore = cursor !== undefined
  const shown = items.slice(0, NAMES)
  const states = await statesOf(shown)
  const names = shown.map((client, at) => {
    const address = call.to(`${texts.path}/${encodeURIComponent(client.clientId)}`)
    const noToken = states[at]?.noToken
    return html`<a href="${address}"><bdi>${applicationName(client)}</bdi></a>
      ${noToken !== undefined && stateBadge(call, noToken)}`
  })
  const start = mayCreate ? ([create, `${texts.path}/new`] as const) : undefined
  return card(call, { ...texts, start, names, count: items.length, hasMore })
}

function connectedCard(
  call: Call,
  connections: readonly { readonly clientId: string }[],
  clients: ReadonlyMap<string, Client>,
): Html {
  const path = '/connected-applications'
  const names = connections.slice(0, NAMES).map(({ clientId }) => {
    const client = clients.get(clientId)
    return html`<bdi>${client ? applicationName(client) : unknownClientName(clientId)}</bdi>`
  })
  return card(call, {
    title: 'navConnected',
    what: 'overviewConnectedWhat',
    path,
    start: ['overviewConnectedShow', path],
    names,
    count: connections.length,
  })
}

interface Card {
  readonly title: TextName
  readonly what: TextName
  readonly path: string
  readonly start: readonly [text: TextName, path: string] | undefined
  readonly names: readonly Html[]
  readonly count: number
  readonly hasMore?: boolean
}

function card({ texts, to }: Call, { title, what, path, start, names, count, hasMore }: Card): Html {
  const total = texts.html(hasMore ? 'overviewManyCount' : 'overviewCount', { count })
  return panel(
    { title: texts.html(title) },
    count === 0
      ? html`<p class="muted">${texts.html(what)}</p>
          ${start && html`<p><a class="button" href="${to(start[1])}">${texts.html(start[0])}</a></p>`}`
      : html`<p class="muted">${texts.html(what)}</p>
          <ul class="plain-list">
            ${names.map((name) => html`<li>${name}</li>`)}
          </ul>
          <p class="line">
            <span class="muted">${total}</span>
            <a href="${to(path)}" aria-label="${texts.plain('showAllLink')}: ${texts.plain(title)}"
              >${texts.html('showAllLink')}</a
            >
            ${start && start[1] !== path && html`<a class="button slim" href="${to(start[1])}">${texts.html(start[0])}</a>`}
          </p>`,
  )
}

function latest({ texts, to, has }: Call, entries: Html): Html {
  return panel(
    { title: texts.html('latestActivity') },
    html`${entries}
    ${has('activity') && html`<p><a href="${to('/activity')}">${texts.html('showAllLink')}</a></p>`}`,
  )
}
