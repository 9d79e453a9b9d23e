import { keysOf } from '../../../clients/jwk-set.ts'
import { isGatewayKey, type Application, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import { html, type Html } from '../../../http/html.ts'
import type { People } from '../activity/people.ts'
import { copyable, facts } from '../elements/elements.ts'
import { limitsText } from '../operator/limits-panel.ts'
import { clientPath, holderLink } from '../operator/operator-page.ts'
import type { Call } from '../page-types.ts'
import { scopeTitle } from '../scope-title.ts'
import type { ConsoleServices } from '../services.ts'
import { pathOf, type ClientKind } from './client-kind.ts'
import { useFacts } from './gateway-key-view.ts'
import { productTitle } from './no-token-state.ts'
import { expiryFact } from './expiry-view.ts'

const MAX_URIS = 5

const codes = (texts: readonly string[]) => texts.map((text) => html`<code dir="ltr">${text}</code>`)

/** The facts about a client for its owner, whose page shows the products in a panel of their own. */
export function factsForOwner(
  call: Call<Client>,
  kind: ClientKind,
  { limits }: Pick<ConsoleServices, 'limits'>,
  { people, mayHandOver }: { people: People; mayHandOver: boolean },
): Html {
  const { texts, to, caller, resource: client } = call
  const { accountId, userId, createdBy, allowedAddresses = [] } = client
  const application = client.kind === 'application' ? client : undefined
  // An account without users has no other person to whom it could hand the client over.
  const hasUsers = (userId ?? caller.userId) !== undefined
  const handOver = mayHandOver && hasUsers && to(`${pathOf(kind, client)}/hand-over`)
  const owner = userId === undefined ? texts.html('ownerAccount') : people({ accountId, userId })
  return facts([
    [texts.html('clientIdLabel'), copyable(call, 'client-id', client.clientId)],
    [
      texts.html('belongsToLabel'),
      html`<span class="line"
        >${owner} ${handOver && html`<a href="${handOver}">${texts.html('handOverLink')}</a>`}</span
      >`,
    ],
    [texts.html('createdLabel'), texts.ago(client.createdAt)],
    [texts.html('createdByLabel'), createdBy !== undefined && people({ accountId, userId: createdBy })],
    ...useFacts(call, client, 'clientsColumnLastUsed'),
    [texts.html('expiryTitle'), expiryFact(call, client)],
    [
      texts.html('addressesTitle'),
      allowedAddresses.length > 0 && html`<span dir="ltr">${texts.list(allowedAddresses)}</span>`,
    ],
    [
      texts.html('limitsTitle'),
      limits && !isGatewayKey(client) && limitsText(call, client.limits ?? limits.defaults),
    ],
    [texts.html('appsRedirectUris'), application && redirectUriList(call, kind, application)],
    [
      texts.html('appsOrigins'),
      application?.origins && html`<div class="tight">${codes(application.origins)}</div>`,
    ],
  ])
}

function redirectUriList(
  { texts, to }: Pick<Call, 'texts' | 'to'>,
  kind: ClientKind,
  application: Application,
): Html | undefined {
  const { redirectUris } = application
  // A notice above says that there are no redirect URIs.
  if (redirectUris.length === 0) return undefined
  const others = redirectUris.length - MAX_URIS
  return html`<div class="tight">
    ${codes(redirectUris.slice(0, MAX_URIS))}
    ${others > 0 && html`<span class="muted">${texts.html('moreOthers', { count: others })}</span>`}
    <a href="${to(`${pathOf(kind, application)}/settings`)}">${texts.html('clientsChangeRedirectUris')}</a>
  </div>`
}

/** The facts about a client for operators, with what it may do. */
export function factsForOperator(
  call: Pick<Call, 'texts' | 'to'>,
  client: Client,
  { catalog: { current }, usage }: Pick<ConsoleServices, 'catalog' | 'usage'>,
): Html {
  const { texts, to } = call
  const { clientId, accountId, userId, createdBy, kind } = client
  const user = (id: string | undefined) => id !== undefined && holderLink(call, { accountId, userId: id })
  const titles = client.products.map((id) => productTitle(call, current, id))
  const removed = client.removedOperations.map((scope) => scopeTitle(scope, texts, current))
  const marks = [
    kind === 'application' && client.firstParty && texts.plain('operatorFirstParty'),
    isPublicClient(client) && texts.plain('operatorPublic'),
    kind === 'apiKey' && client.resourceServer && texts.plain('activityFieldResourceServer'),
  ].filter((mark) => mark !== false)
  const list = (each: readonly string[]) => each.length > 0 && html`<div class="tight">${codes(each)}</div>`
  return facts([
    [texts.html('clientIdLabel'), copyable(call, 'client-id', clientId)],
    [texts.html('accountLabel'), holderLink(call, { accountId })],
    [texts.html('operatorUser'), user(userId)],
    [texts.html('createdByLabel'), user(createdBy)],
    [texts.html('createdLabel'), texts.ago(client.createdAt)],
    ...useFacts(call, client, 'operatorLastUsed'),
    [
      texts.html('usageTitle'),
      usage && html`<a href="${to(`${clientPath(clientId)}/usage`)}">${texts.html('usageShow')}</a>`,
    ],
    [texts.html('expiryTitle'), expiryFact(call, client)],
    [texts.html('productsLabel'), titles.length > 0 ? texts.list(titles) : texts.html('none')],
    [texts.html('operatorRemoved'), removed.length > 0 && texts.list(removed)],
    [texts.html('operatorRedirects'), kind === 'application' && list(client.redirectUris)],
    [texts.html('keysTitle'), list(keysOf(client).map(({ kid }) => kid))],
    [texts.html('operatorMarks'), marks.length > 0 && texts.list(marks)],
  ])
}
