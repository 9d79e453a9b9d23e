import type { ConsoleServices } from '../services.ts'
import { clientNotFound } from '../../../clients/client-id.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { requireAccess } from '../../front-door/access.ts'
import { html } from '../../../http/html.ts'
import { applicationName, unknownClientName } from '../../../http/pages/display-text.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import type { Usage } from '../../usage/usage-types.ts'
import { trailPage } from '../activity/audit-table.ts'
import { namesIn } from '../activity/names-of-deleted.ts'
import { findPeople, personOf } from '../activity/people.ts'
import { badge, choiceLinks, notice } from '../elements/elements.ts'
import { clientHref } from '../operator/client-href.ts'
import { LATEST_ENTRIES, latestEntries, operatorPage, operatorView } from '../operator/operator-page.ts'
import { page, type Call, type Page, type Redirect, type View } from '../page-types.ts'
import { usageView } from '../usage/usage-view.ts'
import { accessPart } from './access-part.ts'
import { OPERATOR, ownerOf, type Viewer } from './client-action-forms.ts'
import { ownClient, type ClientKind, type ClientPart } from './client-kind.ts'
import { expiryBadge } from './expiry-view.ts'
import { stateBadge } from './no-token-state.ts'
import { restrictionsPart } from './restrictions-part.ts'
import { secretsPart } from './secrets-part.ts'
import { settingsPart } from './settings-part.ts'
import { summaryPart } from './summary-part.ts'

/** The pages of one client for its owner, one for each part. */
export function clientPages(kind: ClientKind, services: ConsoleServices): Page[] {
  const { parts, show } = partsFor(ownerOf(kind), services)
  return parts.map((part) =>
    page<Client>({
      ...ownClient(kind, part.path),
      access: `${kind.permissions}:read`,
      show: (call) => show(call, part),
      actions: part.actions,
    }),
  )
}

/** Of a deleted client, and of one with a metadata document, there are only entries and usage. */
interface Unknown {
  readonly clientId: string
  readonly kind?: undefined
}

/** The pages of any client for operators, with the same parts. */
export function operatorClientPages(services: ConsoleServices): Page[] {
  const { apiKeys, applications } = services
  const { parts, show } = partsFor(OPERATOR, services)
  return parts.map((part) =>
    operatorPage<Client | Unknown>({
      path: `/operator/clients/:clientId${part.path}`,
      async find(_caller, { clientId = '' }) {
        // An application with a metadata document has other pages: see `documents-page.ts`.
        const services = isDocumentId(clientId) ? [] : [apiKeys, applications]
        const found = await Promise.all(services.map((each) => each.find(clientId)))
        const client = found.find((each) => each !== undefined)
        if (!client && part.path !== '' && part.path !== '/usage') throw clientNotFound(clientId)
        return client ?? { clientId }
      },
      show: (call) => (isKnown(call) ? show(call, part) : showUnknown(call, part, services)),
      // Of a client that is unknown, they need only the id.
      actions: (part.actions ?? {}) as NonNullable<Page<Client | Unknown>['actions']>,
    }),
  )
}

function isKnown(call: Call<Client | Unknown>): call is Call<Client> {
  return call.resource.kind !== undefined
}

async function showUnknown(call: Call<Client | Unknown>, { path }: ClientPart, services: ConsoleServices) {
  const { texts, resource } = call
  const { clientId } = resource
  const { accounts, audit, catalog, usage } = services
  const entries = await audit.list({ clientId, limit: LATEST_ENTRIES })
  const title = unknownClientName(clientId, namesIn(entries.items).get(clientId))
  if (path === '/usage' && usage) {
    const back = clientHref(call, clientId)
    const link = back !== undefined && html`<p><a href="${back}">${texts.html('operatorBack')}</a></p>`
    const view = await usageOf(call, services, usage, title)
    return view && operatorView({ title }, html`${link} ${view}`)
  }
  if (isDocumentId(clientId) || entries.items.length === 0) throw clientNotFound(clientId)
  const people = await findPeople(accounts, entries.items.map(personOf))
  const deleted = notice(
    'warn',
    html`<p><strong>${texts.html('operatorDeleted')}</strong></p>
      <p>${texts.html('operatorDeletedText')}</p>`,
  )
  const latest = latestEntries(call, entries, { by: 'client', value: clientId }, { catalog, people })
  return operatorView({ title }, html`${deleted} ${latest}`)
}

/** What a viewer sees of a client, and the function that shows one part. */
function partsFor(viewer: Viewer, services: ConsoleServices) {
  const { statesOf, usage, keyPolicy } = services
  const parts: readonly ClientPart[] = [
    summaryPart(viewer, services),
    accessPart(viewer, services),
    secretsPart(viewer, services),
    restrictionsPart(viewer, services),
    ...(usage ? [usagePart(services, usage)] : []),
    activityPart(viewer, services),
    settingsPart(viewer, services),
  ]

  async function show(call: Call<Client>, part: ClientPart): Promise<View | Redirect | undefined> {
    const { texts, to, query, resource: client } = call
    const path = viewer.pathOf(client)
    // An older link leads to the page of the client for the question before any action.
    const asked = parts.find(({ actions = {} }) => Object.hasOwn(actions, query['confirm'] ?? ''))
    if (asked && asked !== part) return { redirect: path + asked.path, query }
    const [state] = await statesOf([client])
    const { noToken, knownToFormer = [] } = state ?? {}
    const [shown, content] = await Promise.all([
      Promise.all(parts.map(async (each) => (await each.isShown?.(call)) !== false && each)),
      part.show(call, { noToken, knownToFormer }),
    ])
    if (content === undefined) return undefined
    const name = applicationName(client)
    const tabs = shown
      .filter((each) => each !== false)
      .map((each) => ({ href: to(path + each.path), text: texts.html(each.title), isCurrent: each === part }))
    return {
      title: part.path === '' ? name : `${texts.plain(part.title)} · ${name}`,
      trail: viewer.trail(call, false),
      images: part.images?.(client),
      body: html`<div class="line spread">
          <div class="line">
            <h1><bdi>${name}</bdi></h1>
            ${!viewer.kind && badge(texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel'))}
            ${isPublicClient(client) && badge(texts.html('publicBadge'))}
            ${isGatewayKey(client) && noToken !== 'gateway' && badge(texts.html('gatewayBadge'))}
            ${stateBadge(call, noToken)} ${expiryBadge(call, client, keyPolicy)}
          </div>
          ${viewer.kind && !isGatewayKey(client) && html`<a class="button" href="${to(`${path}/guide`)}">${texts.html('guideTitle')}</a>`}
        </div>
        ${choiceLinks(name, tabs, 'tabs')} ${content}`,
    }
  }

  return { parts, show }
}

function usagePart(services: ConsoleServices, usage: Usage): ClientPart {
  return {
    path: '/usage',
    title: 'usageTitle',
    isShown: ({ resource }) => !isGatewayKey(resource),
    show: (call) => usageOf(call, services, usage, applicationName(call.resource)),
  }
}

async function usageOf(call: Call<Client | Unknown>, services: ConsoleServices, usage: Usage, name: string) {
  const view = await usageView(call, services, usage, { clientId: call.resource.clientId })
  const intro = html`<p class="muted">${call.texts.html('usageIntro', { name })}</p>`
  return view && html`${intro} ${view}`
}

function activityPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  const { kind } = viewer
  return {
    path: '/activity',
    title: 'navActivity',
    isShown: (call) => kind === undefined || call.may('audit:read'),
    async show(call) {
      if (kind) await requireAccess(call, 'audit:read')
      const { texts, to, has, resource: client } = call
      const all = html`<p><a href="${to('/activity')}">${texts.html('clientsActivityAll')}</a></p>`
      return html`${await trailPage(call, services, {
        path: `${viewer.pathOf(client)}/activity`,
        filter: { clientId: client.clientId },
        empty: 'clientsActivityNone',
        isForOperators: !kind,
        isOfClient: true,
      })}
      ${kind && has('activity') && all}`
    },
  }
}
