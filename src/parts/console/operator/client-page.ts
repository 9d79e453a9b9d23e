import type { ConsoleServices } from '../services.ts'
import type { AuditPage } from '../../../audit/read-trail.ts'
import type { Client } from '../../../clients/client.ts'
import { keysOf } from '../../../clients/jwk-set.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { clientNotFound } from '../../../clients/client-id.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { namesIn } from '../activity/names-of-deleted.ts'
import { findPeople, personOf } from '../activity/people.ts'
import { scopeTitle } from '../scope-title.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import { expiryFact } from '../clients/expiry-panel.ts'
import { lastUsed, productTitle, stateBadge, stateNotice } from '../clients/client-state.ts'
import { badge, copyable, facts, notice, panel } from '../elements/elements.ts'
import { limitsIn, limitsPanel } from './limits-panel.ts'
import type { Action, Call, Page, Redirect } from '../page-types.ts'
import { CLIENT_ACTIONS, clientActions } from './client-actions.ts'
import {
  clientPath,
  holderLink,
  LATEST_ENTRIES,
  latestEntries,
  operatorPage,
  operatorView,
} from './operator-page.ts'

/** A client with its newest entries. For a deleted client, there are only entries. */
interface Found {
  readonly clientId: string
  readonly client: Client | undefined
  readonly trail: AuditPage
}

/** The page of any client: its owner, what it may do, what happened, and how to stop it. */
export function operatorClientPage(services: ConsoleServices): Page {
  const { audit, tokens, apiKeys, applications } = services

  /** An action that changes the client and shows the page again. */
  function action(
    done: Redirect['done'],
    apply: (client: Client, call: Call<Found>) => Promise<unknown>,
  ): Action<Found>['run'] {
    return async (call) => {
      const { client, clientId } = call.resource
      if (!client) throw clientNotFound('API key or application', clientId)
      await apply(client, call)
      return { redirect: clientPath(clientId), done }
    }
  }
  const confirm = (name: keyof typeof CLIENT_ACTIONS) => (call: Call<Found>) => ({
    ...CLIENT_ACTIONS[name],
    trail: trail(call),
  })
  const serviceOf = ({ kind }: Client) => (kind === 'apiKey' ? apiKeys : applications)

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
      const entries = latestEntries(
        call,
        trail,
        { by: 'client', value: clientId },
        { catalog: services.catalog, people },
      )
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
          <div class="panel">${clientFacts(call, client, services)}</div>
          ${services.limits && limitsPanel(call, client, services.limits)}
          ${panel({ title: texts.html('operatorActions') }, clientActions(call, client))} ${entries}`,
      )
    },
    actions: {
      disable: {
        confirm: confirm('disable'),
        run: action('doneOperatorDisabled', (client, call) =>
          serviceOf(client).disable(client.clientId, { ...call.change, by: 'operator' }),
        ),
      },
      enable: action('doneOperatorEnabled', (client, call) =>
        serviceOf(client).enable(client.clientId, { ...call.change, by: 'operator' }),
      ),
      revokeTokens: {
        confirm: confirm('revokeTokens'),
        async run({ resource: { clientId }, change: options }) {
          await tokens.revokeAll({ clientId }, options)
          return { redirect: clientPath(clientId), done: 'doneOperatorRevoked' }
        },
      },
      limits: action('doneLimitsSaved', (client, call) =>
        serviceOf(client).setLimits(client.clientId, limitsIn(call.form), call.change),
      ),
      reportCompromised: {
        confirm: confirm('reportCompromised'),
        run: action('doneOperatorCompromised', (client, call) =>
          serviceOf(client).reportCompromised(client.clientId, call.change),
        ),
      },
    },
  })
}

/** The link to the page of the client, above a confirmation page. */
function trail({ texts, self, resource: { client, clientId } }: Call<Found>): Html {
  return html`<nav class="trail-links" aria-label="${texts.plain('clientsTrail')}">
    <a href="${self}"><bdi>${client ? applicationName(client) : clientId}</bdi></a>
  </nav>`
}

/** The owner of the client, and what the client may do. */
function clientFacts(
  call: Pick<Call, 'texts' | 'to'>,
  client: Client,
  { catalog, usage }: ConsoleServices,
): Html {
  const { texts, to } = call
  const { clientId, accountId, userId, createdBy, products, removedOperations } = client
  const titles = products.map((id) => productTitle(call, catalog.current, id))
  const removed = removedOperations.map((scope) => scopeTitle(scope, texts, catalog.current))
  const isFirstParty = client.kind === 'application' && client.firstParty
  const isResourceServer = client.kind === 'apiKey' && client.resourceServer
  const marks = [
    isFirstParty && texts.plain('operatorFirstParty'),
    isPublicClient(client) && texts.plain('operatorPublic'),
    isResourceServer && texts.plain('activityFieldResourceServer'),
  ].filter((mark) => mark !== false)
  const keys = keysOf(client).map(({ kid }) => kid)
  const redirectUris = client.kind === 'application' ? client.redirectUris : []
  return facts([
    [texts.html('clientIdLabel'), copyable(call, 'client-id', clientId)],
    [texts.html('accountLabel'), holderLink(call, { accountId })],
    [texts.html('operatorUser'), userId !== undefined && holderLink(call, { accountId, userId })],
    [
      texts.html('createdByLabel'),
      createdBy !== undefined && holderLink(call, { accountId, userId: createdBy }),
    ],
    [texts.html('createdLabel'), texts.ago(client.createdAt)],
    [texts.html('operatorLastUsed'), lastUsed(call, client)],
    [
      texts.html('usageTitle'),
      usage && html`<a href="${to(`${clientPath(clientId)}/usage`)}">${texts.html('usageShow')}</a>`,
    ],
    [texts.html('expiryTitle'), expiryFact(call, client)],
    [texts.html('productsLabel'), titles.length > 0 ? texts.list(titles) : texts.html('none')],
    [texts.html('operatorRemoved'), removed.length > 0 && texts.list(removed)],
    [
      texts.html('operatorRedirects'),
      redirectUris.length > 0 &&
        html`<div class="tight">${redirectUris.map((uri) => html`<code dir="ltr">${uri}</code>`)}</div>`,
    ],
    [
      texts.html('keysTitle'),
      keys.length > 0 &&
        html`<div class="tight">${keys.map((kid) => html`<code dir="ltr">${kid}</code>`)}</div>`,
    ],
    [texts.html('operatorMarks'), marks.length > 0 && texts.list(marks)],
  ])
}
