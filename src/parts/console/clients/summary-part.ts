import { isGatewayKey, type ApiKey, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { ClientState } from '../../../clients/why-no-token.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { findPeople } from '../activity/people.ts'
import { copyable, facts, notice, panel } from '../elements/elements.ts'
import { limitsText } from '../operator/limits-panel.ts'
import { holderLink } from '../operator/operator-page.ts'
import type { Call, Texts } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { callsOfLastDay } from '../usage/usage-view.ts'
import { findAccess } from './access-part.ts'
import { actionsFor, type Viewer } from './client-action-forms.ts'
import type { ClientPart } from './client-kind.ts'
import { expiryFact } from './expiry-view.ts'
import { lastUsed, productTitle, stateNotice } from './no-token-state.ts'

const MAX_URIS = 5

/** What a reader looks for first: what is wrong, what the client is, what it may call, and what it has called. */
export function summaryPart(viewer: Viewer, services: ConsoleServices): ClientPart {
  const { usage } = services
  return {
    path: '',
    title: 'clientsAbout',
    async show(call, { noToken, knownToFormer }) {
      const { texts, to, resource: client } = call
      const usageHref = to(`${viewer.pathOf(client)}/usage`)
      const [problem, former, about, access, calls] = await Promise.all([
        stateNotice(call, viewer, noToken),
        formerNotice(call, viewer, knownToFormer),
        aboutFacts(call, viewer, services),
        isGatewayKey(client) ? undefined : mayCall(call, services),
        usage && !isGatewayKey(client) && callsOfLastDay(call, usage, client.clientId, usageHref),
      ])
      return html`${problem} ${former}
        <div class="panel">${about}</div>
        ${access && panel({ title: texts.html('clientsMayCall') }, access)} ${calls}`
    },
    actions: actionsFor(viewer, services, ['enable']),
  }
}

async function formerNotice(call: Call<Client>, viewer: Viewer, userIds: ClientState['knownToFormer']) {
  if (userIds.length === 0) return undefined
  const { texts, to, resource } = call
  const secrets = to(`${viewer.pathOf(resource)}/secrets`)
  const users = texts.list(userIds.map((id) => displayText(id)))
  return notice(
    'warn',
    html`<div class="line spread">
      <p>${texts.html('clientsKnownToFormer', { users })}</p>
      ${(await viewer.may(call, 'rotate')) && html`<a class="button slim" href="${secrets}">${texts.html('clientsRotate')}</a>`}
    </div>`,
  )
}

async function aboutFacts(call: Call<Client>, viewer: Viewer, { accounts, limits }: ConsoleServices) {
  const { texts, resource: client } = call
  const { clientId, accountId, userId, createdBy } = client
  const isGateway = isGatewayKey(client)
  const application = client.kind === 'application' ? client : undefined
  const ids = [userId, createdBy].flatMap((id) => (id === undefined ? [] : [{ accountId, userId: id }]))
  const people = viewer.kind && (await findPeople(accounts, ids))
  const person = (id: string | undefined) => {
    if (id === undefined) return undefined
    return people ? people({ accountId, userId: id }) : holderLink(call, { accountId, userId: id })
  }
  const marks = [
    application?.firstParty && texts.plain('operatorFirstParty'),
    client.kind === 'apiKey' && client.resourceServer && texts.plain('activityFieldResourceServer'),
  ].filter((mark) => typeof mark === 'string')
  const { redirectUris = [], origins = [] } = application ?? {}
  return facts([
    [texts.html('clientIdLabel'), copyable(call, 'client-id', clientId)],
    [texts.html('accountLabel'), !viewer.kind && holderLink(call, { accountId })],
    [texts.html('belongsToLabel'), person(userId) ?? (viewer.kind && texts.html('ownerAccount'))],
    [texts.html('createdLabel'), texts.ago(client.createdAt)],
    [texts.html('createdByLabel'), person(createdBy)],
    [texts.html('gatewayResources'), isGateway && client.kind === 'apiKey' && resourcesFact(call, client)],
    [texts.html(isGateway ? 'gatewaySeen' : 'operatorLastUsed'), lastUsed(call, client)],
    [texts.html('expiryTitle'), expiryFact(call, client)],
    [texts.html('addressesTitle'), addressesFact(call, client)],
    [texts.html('limitsTitle'), limits && !isGateway && limitsText(call, client.limits ?? limits.defaults)],
    [texts.html('appsRedirectUris'), uriList(call, redirectUris)],
    [texts.html('appsOrigins'), uriList(call, origins)],
    [texts.html('appsUsers'), application && texts.html('appsUsersHint')],
    [texts.html('publicTitle'), isPublicClient(client) && texts.html('publicText')],
    [texts.html('operatorMarks'), !viewer.kind && marks.length > 0 && texts.list(marks)],
  ])
}

function resourcesFact({ texts }: Texts, { resources }: ApiKey): Html {
  const named = resources?.map((address) => html`<code dir="ltr">${address}</code>`)
  return named ? html`<div class="tight">${named}</div>` : texts.html('gatewayAllResources')
}

export function addressesFact({ texts }: Texts, { allowedAddresses = [] }: Client) {
  return allowedAddresses.length > 0 && html`<span dir="ltr">${texts.list(allowedAddresses)}</span>`
}

function uriList({ texts }: Texts, uris: readonly string[]): Html | undefined {
  if (uris.length === 0) return undefined
  const others = uris.length - MAX_URIS
  return html`<div class="tight">
    ${uris.slice(0, MAX_URIS).map((uri) => html`<code dir="ltr">${uri}</code>`)}
    ${others > 0 && html`<span class="muted">${texts.html('moreOthers', { count: others })}</span>`}
  </div>`
}

/** The operations of each product for which the client gets tokens now. */
async function mayCall({ texts, resource: client }: Call<Client>, services: ConsoleServices): Promise<Html> {
  const { catalog, missingFor } = await findAccess(services, client)
  if (client.products.length === 0) return html`<p class="muted">${texts.html('clientsMayCallNothing')}</p>`
  return facts(
    client.products.map((id): readonly [HtmlValue, HtmlValue] => {
      const operations = catalog.products.get(id)?.operations ?? []
      const callable = operations.filter((each) => missingFor(each).length === 0)
      const titles = html`<ul class="plain-list">
        ${callable.map(({ title }) => html`<li>${texts.localize(title)}</li>`)}
      </ul>`
      const nothing = html`<span class="muted">${texts.html('clientsMayCallNothing')}</span>`
      return [productTitle({ texts }, catalog, id), callable.length > 0 ? titles : nothing]
    }),
  )
}
