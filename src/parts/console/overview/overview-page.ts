import type { Client } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import { auditTable, findNamed } from '../activity/audit-table.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { apiKeyKind, applicationKind, pathOf, word, type ClientKind } from '../clients/client-kind.ts'
import { stateBadge } from '../clients/no-token-state.ts'
import { actionRow, notice, panel } from '../elements/elements.ts'
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
    ...kinds.map((kind, at) => ownClients(services, kind, call, mayRead[at])),
  ])
  const entries = trail?.items ?? []
  const clients: readonly Client[] = lists.flatMap((each) => each.clients || [])
  const hasClients = clients.length > 0
  const isEmpty = !hasClients && !connected?.length
  const [called, applications, named] = await Promise.all([
    calling,
    findClients(services, (connected ?? []).slice(0, NAMES)),
    findNamed(services, entries),
  ])
  const cards = html`<div class="columns">
    ${hasClients && (await Promise.all(lists.map((each) => clientsCard(services, call, each))))}
    ${connected && has('connected') && connectedCard(call, connected, applications)}
  </div>`
  const mayOnlyLook = !lists.some(({ mayCreate }) => mayCreate)
  const isNew = !mayOnlyLook && lists.every((each) => each.clients && !each.hasMore)
  const steps = isNew && firstSteps(call, clients, called?.calls, createButtons(call, lists))
  const level = account?.kycLevel ?? texts.plain('lowestLevel')
  return {
    title: texts.plain('navOverview'),
    body: html`<div class="line spread">
        <h1>${texts.html(isEmpty && !mayOnlyLook ? 'overviewStart' : 'navOverview')}</h1>
        ${catalog.current.kycLevels.length > 0 && html`<span class="muted">${texts.html('overviewLevel', { level })}</span>`}
      </div>
      ${mayOnlyLook && lookingOnly(call)}
      ${hasClients ? html`${attentionLink(call, lists)} ${steps} ${called?.shown} ${cards}` : html`${cards} ${steps}`}
      ${entries.length > 0 && latest(call, auditTable(call, entries, named))}`,
  }
}

/** Without clients if the caller may not read them. */
async function ownClients({ hygiene }: ConsoleServices, kind: ClientKind, call: Call, mayRead?: boolean) {
  const { accountId } = call.caller
  const [mayCreate, all] = await Promise.all([
    call.may(`${kind.permissions}:create`),
    mayRead ? hygiene.examine(accountId, kind.kind) : undefined,
  ])
  const examined = all?.examined ?? []
  const isPart = all?.next !== undefined
  const newest = isPart
    ? (await kind.service.listByOwner(accountId, { limit: MAX_COUNT })).items
    : examined.map(({ record }) => record.client).toReversed()
  const hasMore = isPart || newest.length > MAX_COUNT
  return { kind, mayCreate, clients: mayRead && newest.slice(0, MAX_COUNT), hasMore, isPart, examined }
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
function attentionLink({ texts, to }: Call, lists: readonly OwnClients[]): Html | undefined {
  const found = lists.flatMap((each) => each.examined.filter(({ findings }) => findings.length > 0))
  const count = Math.min(found.length, MAX_COUNT)
  const isWhole = found.length === count && !lists.some(({ isPart }) => isPart)
  if (isWhole && count === 0) return undefined
  const name = isWhole ? 'hygieneLink' : 'hygieneManyLink'
  const text = texts.html(count === 0 ? 'hygieneTitle' : name, { count })
  return notice('warn', html`<a href="${to('/hygiene')}">${text}</a>`)
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
  { kind, clients, hasMore, mayCreate }: OwnClients,
): Promise<Html | undefined> {
  if (!clients || !call.has(kind.section)) return undefined
  const shown = clients.slice(0, NAMES)
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
    count: clients.length,
    hasMore,
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
