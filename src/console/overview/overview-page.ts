import type { Client } from '../../clients/client.ts'
import type { ClientPage } from '../../clients/client-index.ts'
import { html, type Html } from '../../http/html.ts'
import { auditTable } from '../activity/entries.ts'
import { findClients } from '../activity/find-clients.ts'
import { panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page.ts'
import type { ConsoleServices } from '../services.ts'
import { card, connectedNames, newestClients, NAMES } from './cards.ts'

/** Clients that are counted exactly. */
const MAX_COUNT = 100
/** Entries of the audit trail. */
const ENTRIES = 5

/** The start page: what the account has, or what to do first. */
export function overviewPage(services: ConsoleServices): Page {
  return page({ path: '/', section: 'overview', access: 'signed-in', show: (call) => show(services, call) })
}

/** What the caller may see. Everything is read at the same time. */
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
  const clients = await findClients(services, [...(connected ?? []).slice(0, NAMES), ...entries])
  const isEmpty = [keys?.items, apps?.items, connected].every(
    (list) => list === undefined || list.length === 0,
  )
  const cards = [
    keys && has('apiKeys') && clientsCard(call, KEYS, keys, found.mayCreateKey),
    apps && has('applications') && clientsCard(call, APPLICATIONS, apps, found.mayCreateApplication),
    connected &&
      has('connected') &&
      card(call, {
        title: 'navConnected',
        what: 'overviewConnectedWhat',
        path: '/connected-applications',
        start: ['overviewConnectedShow', '/connected-applications'],
        ...connectedNames(connected, clients),
      }),
  ]
  const level = account?.kycLevel ?? texts.plain('lowestLevel')
  return {
    title: texts.plain('navOverview'),
    body: html`<div class="line spread">
        <h1>${texts.html(isEmpty ? 'overviewStart' : 'navOverview')}</h1>
        ${catalog.current.kycLevels.length > 0 && html`<span class="muted">${texts.html('overviewLevel', { level })}</span>`}
      </div>
      <div class="columns">${cards}</div>
      ${entries.length > 0 && latest(call, auditTable(call, entries, { catalog, clients }))}`,
  }
}

/** What the cards of API keys and of applications say, and where they lead. */
const KEYS = {
  title: 'navApiKeys',
  what: 'overviewKeysWhat',
  create: 'overviewKeysCreate',
  path: '/api-keys',
} as const
const APPLICATIONS = {
  title: 'navApplications',
  what: 'overviewApplicationsWhat',
  create: 'overviewApplicationsCreate',
  path: '/applications',
} as const

function clientsCard(
  call: Call,
  { title, what, create, path }: typeof KEYS | typeof APPLICATIONS,
  clients: ClientPage<Client>,
  mayCreate: boolean,
): Html {
  const start = mayCreate ? ([create, `${path}/new`] as const) : undefined
  return card(call, { title, what, path, start, ...newestClients(call, path, clients) })
}

function latest({ texts, to, has }: Call, entries: Html): Html {
  return panel(
    { title: texts.html('latestActivity') },
    html`${entries}
    ${has('activity') && html`<p><a href="${to('/activity')}">${texts.html('showAllLink')}</a></p>`}`,
  )
}
