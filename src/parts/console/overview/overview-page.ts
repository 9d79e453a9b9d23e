import type { Client } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import { auditTable, findNamed } from '../activity/audit-table.ts'
import { listOwnFindings } from '../../front-door/own-findings.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { apiKeyKind, applicationKind, pathOf, word, type ClientKind } from '../clients/client-kind.ts'
import { stateBadge } from '../clients/no-token-state.ts'
import { actionRow, panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { callsPanels } from './calls-panels.ts'
import { firstSteps } from './first-steps.ts'

const MAX_COUNT = 100
const NAMES = 3
const ENTRIES = 5

/** The start page: what the account has called and what it has, or what to do first. */
export function overviewPage(services: ConsoleServices): Page {
  return page({ path: '/', section: 'overview', access: 'signed-in', show: (call) => show(services, call) })
}

async function show(services: ConsoleServices, call: Call) {
  const { texts, has, may, caller } = call
  const { accounts, audit, catalog, connections, usage } = services
  const { accountId, userId } = caller
  const kinds = [apiKeyKind(services), applicationKind(services)]
  const [mayConnected, mayActivity, ...mayRead] = await Promise.all([
    may('authorizations:read'),
    may('audit:read'),
    ...kinds.map(({ permissions }) => may(`${permissions}:read`)),
  ])
  const calling = usage && mayRead.every(Boolean) ? callsPanels(call, services, usage) : undefined
  // The rest is read meanwhile. An error is thrown where the result is awaited.
  calling?.catch(() => {})
  const [account, connected, trail, ...lists] = await Promise.all([
    accounts.find(accountId, userId),
    mayConnected ? connections.list({ accountId, userId }) : undefined,
    mayActivity ? audit.list({ accountId, limit: ENTRIES }) : undefined,
    ...kinds.map((kind, at) => ownClients(kind, call, mayRead[at])),
  ])
  const entries = trail?.items ?? []
  const clients: readonly Client[] = lists.flatMap(({ found }) => found?.items ?? [])
  const hasClients = clients.length > 0
  const isEmpty = !hasClients && !connected?.length
  const [called, applications, named, attention] = await Promise.all([
    calling,
    findClients(services, (connected ?? []).slice(0, NAMES)),
    findNamed(services, entries),
    hasClients && attentionLink(services, call),
  ])
  const cards = html`<div class="columns">
    ${hasClients && (await Promise.all(lists.map((each) => clientsCard(services, call, each))))}
    ${connected && has('connected') && connectedCard(call, connected, applications)}
  </div>`
  const mayOnlyLook = !lists.some(({ mayCreate }) => mayCreate)
  const isNew = !mayOnlyLook && lists.every(({ found }) => found && found.cursor === undefined)
  const steps = isNew && firstSteps(call, clients, called?.calls, createButtons(call, lists))
  const level = account?.kycLevel ?? texts.plain('lowestLevel')
  return {
    title: texts.plain('navOverview'),
    body: html`<div class="line spread">
        <h1>${texts.html(isEmpty && !mayOnlyLook ? 'overviewStart' : 'navOverview')}</h1>
        ${catalog.current.kycLevels.length > 0 && html`<span class="muted">${texts.html('overviewLevel', { level })}</span>`}
      </div>
      ${mayOnlyLook && lookingOnly(call)}
      ${hasClients ? html`${steps} ${called?.shown} ${attention} ${cards}` : html`${cards} ${steps}`}
      ${entries.length > 0 && latest(call, auditTable(call, entries, named))}`,
  }
}

async function ownClients(kind: ClientKind, { may, caller }: Call, mayRead: boolean | undefined) {
  const { permissions, service } = kind
  const [found, mayCreate] = await Promise.all([
    mayRead ? service.listByOwner(caller.accountId, { limit: MAX_COUNT }) : undefined,
    may(`${permissions}:create`),
  ])
  return { kind, found, mayCreate }
}

type OwnClients = Awaited<ReturnType<typeof ownClients>>

function createButtons({ texts, to }: Call, lists: readonly OwnClients[]): Html {
  const rows = lists.map(({ kind, mayCreate }) => {
    const style = kind.kind === 'apiKey' && 'primary'
    const button = html`<a class="button ${style}" href="${to(`${kind.base}/new`)}"
      >${texts.html(word(kind, 'Create'))}</a
    >`
    return mayCreate && actionRow(texts.html(word(kind, 'ListTitle')), texts.html(WHAT[kind.kind]), button)
  })
  return html`<ul class="items">
    ${rows}
  </ul>`
}

/** How many clients need attention, with a link to them. Undefined if none does. */
async function attentionLink({ hygiene }: ConsoleServices, call: Call): Promise<Html | undefined> {
  const { texts, to } = call
  const { items, cursor } = await listOwnFindings(hygiene, call, { limit: MAX_COUNT })
  if (items.length === 0 && cursor === undefined) return undefined
  const name = cursor === undefined ? 'hygieneLink' : 'hygieneManyLink'
  const count = items.length
  return html`<p>
    <a href="${to('/hygiene')}">${texts.html(count === 0 ? 'hygieneTitle' : name, { count })}</a>
  </p>`
}

function lookingOnly({ texts, to, has }: Call): Html {
  return html`<div class="line spread">
    <p class="muted">${texts.html('overviewMayLook')}</p>
    ${has('inspector') && html`<a class="button" href="${to('/token-inspector')}">${texts.html('overviewInspect')}</a>`}
  </div>`
}

const WHAT = { apiKey: 'overviewKeysWhat', application: 'overviewApplicationsWhat' } as const

async function clientsCard(
  { statesOf }: ConsoleServices,
  call: Call,
  { kind, found, mayCreate }: OwnClients,
): Promise<Html | undefined> {
  if (!found || !call.has(kind.section)) return undefined
  const shown = found.items.slice(0, NAMES)
  const states = await statesOf(shown)
  const names = shown.map((client, at) => {
    const noToken = states[at]?.noToken
    return html`<a href="${call.to(pathOf(kind, client))}"><bdi>${applicationName(client)}</bdi></a>
      ${noToken !== undefined && stateBadge(call, noToken)}`
  })
  return card(call, {
    title: word(kind, 'ListTitle'),
    what: WHAT[kind.kind],
    path: kind.base,
    start: mayCreate ? [word(kind, 'Create'), `${kind.base}/new`] : undefined,
    names,
    count: found.items.length,
    hasMore: found.cursor !== undefined,
  })
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
  const total = hasMore ? texts.html('moreThan', { what: count }) : texts.html('overviewCount', { count })
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
