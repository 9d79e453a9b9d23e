import type { ConsoleServices } from '../services.ts'
import type { AuditEntry } from '../../../audit/entry.ts'
import type { AuditPage } from '../../../audit/read-trail.ts'
import { clientNotFound } from '../../../clients/client-id.ts'
import { isGatewayKey, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { ClientState } from '../../../clients/why-no-token.ts'
import { CLIENT_ACTIONS, LISTED_ACTIONS } from '../../front-door/client-actions.ts'
import { runAsOperator } from '../../front-door/run-client-action.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import { auditTable, type AuditTableOptions } from '../activity/audit-table.ts'
import { namesIn } from '../activity/names-of-deleted.ts'
import { findPeople, personOf, type People } from '../activity/people.ts'
import { badge, notice, panel } from '../elements/elements.ts'
import { limitsIn, limitsPanel } from '../operator/limits-panel.ts'
import {
  clientPath,
  LATEST_ENTRIES,
  latestEntries as latestForOperator,
  operatorPage,
  operatorView,
} from '../operator/operator-page.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { accessPanel } from './access-panel.ts'
import { actionRows, actionsOfPage, inputOf, ownerOf, type Viewer } from './client-action-forms.ts'
import { factsForOperator, factsForOwner } from './client-facts.ts'
import { credentialsOf, ownClient, pathOf, trail, type ClientKind } from './client-kind.ts'
import { ownStateNotice, stateBadge, stateNotice } from './no-token-state.ts'
import { expiryPanel } from './expiry-view.ts'
import { addressesPanel, settingsPanel } from './field-panels.ts'
import { keysPanel } from './keys-panel.ts'
import { secretsPanel } from './secrets-panel.ts'

const MAX_ENTRIES = 10

/** The page of one client, with all that its owner can change. */
export function clientPage(kind: ClientKind, services: ConsoleServices): Page {
  const owner = ownerOf(kind)
  const panels = [
    accessPanel(kind, services),
    secretsPanel(kind, services),
    keysPanel(kind, services),
    settingsPanel(kind, services),
    expiryPanel(kind, services),
    addressesPanel(kind, services),
  ]

  async function header(
    call: Call<Client>,
    { noToken, knownToFormer }: ClientState,
    people: People,
  ): Promise<Html> {
    const { texts, to, resource: client } = call
    const path = pathOf(kind, client)
    const [notice, mayHandOver, mayRotate] = await Promise.all([
      ownStateNotice(call, noToken, kind),
      call.may(`${kind.permissions}:handOver`),
      call.may(`${kind.permissions}:rotate`),
    ])
    return html`<div class="line spread">
        <div class="line">
          <h1><bdi>${applicationName(client)}</bdi></h1>
          ${isPublicClient(client) && badge(texts.html('publicBadge'))}
          ${isGatewayKey(client) && noToken !== 'gateway' && badge(texts.html('gatewayBadge'))}
          ${stateBadge(call, noToken)}
        </div>
        <div class="line">
          ${services.usage && !isGatewayKey(client) && html`<a class="button" href="${to(`${path}/usage`)}">${texts.html('usageTitle')}</a>`}
          ${!isGatewayKey(client) && html`<a class="button" href="${to(`${path}/guide`)}">${texts.html('guideTitle')}</a>`}
        </div>
      </div>
      ${notice} ${knownToFormer.length > 0 && formerNotice(call, knownToFormer, mayRotate)}
      ${panel({ title: texts.html('clientsAbout') }, factsForOwner(call, kind, services, { people, mayHandOver }))}`
  }

  return page<Client>({
    ...ownClient(kind),
    access: `${kind.permissions}:read`,
    async show(call) {
      const { resource: client } = call
      const [{ secrets, keys }, entries, [state]] = await Promise.all([
        credentialsOf(kind, client),
        latestEntries(call, services),
        services.statesOf([client]),
      ])
      const userIds = [client.userId, client.createdBy, ...secrets.map(({ shownTo }) => shownTo)]
      const people = await findPeople(services.accounts, [
        ...userIds.map((userId) =>
          userId === undefined ? undefined : { accountId: client.accountId, userId },
        ),
        ...(entries ?? []).map(personOf),
      ])
      const shown = await Promise.all(panels.map((each) => each.show(call, { secrets, keys, people })))
      const activity = entries && activityPanel(call, entries, { catalog: services.catalog, people })
      return {
        title: applicationName(client),
        trail: trail(call, kind),
        body: html`${state && (await header(call, state, people))} ${shown} ${activity}
        ${await dangerPanel(call, kind)}`,
      }
    },
    actions: Object.assign(actionsOfPage(services, owner), ...panels.map(({ actions }) => actions)),
  })
}

async function dangerPanel(call: Call<Client>, kind: ClientKind): Promise<Html | undefined> {
  const names = LISTED_ACTIONS.owner
  const may = await Promise.all(
    names.map((name) => call.may(`${kind.permissions}:${CLIENT_ACTIONS[name].owner.act}`)),
  )
  const rights = names.filter((_, at) => may[at])
  if (rights.length === 0) return undefined
  const title = call.texts.html('clientsDanger')
  return panel(
    { title, id: 'danger', isDanger: true },
    actionRows(call, ownerOf(kind), call.resource, rights),
  )
}

function formerNotice({ texts }: Pick<Call, 'texts'>, userIds: readonly string[], mayRotate: boolean): Html {
  return notice(
    'warn',
    html`<div class="line spread">
      <p>
        ${texts.html('clientsKnownToFormer', { users: texts.list(userIds.map((id) => displayText(id))) })}
      </p>
      ${mayRotate && html`<a class="button slim" href="#secrets">${texts.html('clientsRotate')}</a>`}
    </div>`,
  )
}

async function latestEntries(call: Call<Client>, { audit }: ConsoleServices) {
  if (!(await call.may('audit:read'))) return undefined
  const { items } = await audit.list({ clientId: call.resource.clientId, limit: MAX_ENTRIES })
  return items
}

function activityPanel(call: Call<Client>, entries: readonly AuditEntry[], options: AuditTableOptions): Html {
  const { texts, to, has } = call
  return panel(
    { title: texts.html('navActivity'), id: 'activity' },
    html`${entries.length === 0 ? html`<p class="muted">${texts.html('clientsActivityNone')}</p>` : auditTable(call, entries, options)}
    ${has('activity') && html`<p><a href="${to('/activity')}">${texts.html('clientsActivityAll')}</a></p>`}`,
  )
}

/** A client with its newest entries. For a deleted client, there are only entries. */
interface Found {
  readonly clientId: string
  readonly client: Client | undefined
  readonly trail: AuditPage
}

const OPERATOR: Viewer<Found> = {
  by: 'operator',
  pathOf: ({ clientId }) => clientPath(clientId),
  trail: ({ texts, self, resource: { client, clientId } }) =>
    html`<nav class="trail-links" aria-label="${texts.plain('clientsTrail')}">
      <a href="${self}"><bdi>${client ? applicationName(client) : clientId}</bdi></a>
    </nav>`,
  textsOf: ({ operator }) => operator?.texts,
  run: (action, call, parts) =>
    runAsOperator(action, call.resource.clientId, { ...call, parts, input: inputOf(call.form) }),
}

/** The page of any client: its owner, what it may do, what happened, and how to stop it. */
export function operatorClientPage(services: ConsoleServices): Page {
  const { audit, apiKeys, applications, catalog, limits } = services
  return operatorPage<Found>({
    path: '/operator/clients/:clientId',
    async find(_caller, { clientId = '' }) {
      // An application with a metadata document has no such page: see `documents-page.ts`.
      if (isDocumentId(clientId)) throw clientNotFound('API key or application', clientId)
      const [apiKey, application, trail] = await Promise.all([
        apiKeys.find(clientId),
        applications.find(clientId),
        audit.list({ clientId, limit: LATEST_ENTRIES }),
      ])
      const client = apiKey ?? application
      if (!client && trail.items.length === 0) throw clientNotFound('API key or application', clientId)
      return { clientId, client, trail }
    },
    async show(call) {
      const { texts, resource } = call
      const { clientId, client, trail } = resource
      const title = client
        ? applicationName(client)
        : displayText(namesIn(trail.items).get(clientId) ?? clientId)
      const people = await findPeople(services.accounts, trail.items.map(personOf))
      const entries = latestForOperator(call, trail, { by: 'client', value: clientId }, { catalog, people })
      if (!client) {
        const deleted = notice(
          'warn',
          html`<p><strong>${texts.html('operatorDeleted')}</strong></p>
            <p>${texts.html('operatorDeletedText')}</p>`,
        )
        return operatorView(call, { title }, html`${deleted} ${entries}`)
      }
      const [state] = await services.statesOf([client])
      const kind = texts.html(client.kind === 'apiKey' ? 'activityApiKey' : 'applicationLabel')
      const heading = html`<bdi>${title}</bdi> ${badge(kind)} ${stateBadge(call, state?.noToken)}`
      return operatorView(
        call,
        { title, heading },
        html`${stateNotice(call, state?.noToken)}
          <div class="panel">${factsForOperator(call, client, services)}</div>
          ${limits && limitsPanel(call, client, limits)}
          ${panel({ title: texts.html('operatorActions') }, actionRows(call, OPERATOR, client))} ${entries}`,
      )
    },
    actions: {
      ...actionsOfPage(services, OPERATOR),
      async limits(call) {
        const { clientId } = call.resource
        const input = { limits: limitsIn(call.form) }
        await runAsOperator(CLIENT_ACTIONS.setLimits, clientId, { ...call, parts: services, input })
        return { redirect: clientPath(clientId), done: 'doneLimitsSaved' }
      },
    },
  })
}
