import type { ConsoleServices } from '../services.ts'
import { isGatewayKey, type Application, type Client } from '../../../clients/client.ts'
import { isPublicClient } from '../../../clients/public-applications.ts'
import type { ClientState } from '../../../clients/client-states.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName, displayText } from '../../../http/pages/display-text.ts'
import { auditTable, type AuditTableOptions } from '../activity/audit-table.ts'
import { findPeople, personOf, type People } from '../activity/people.ts'
import type { AuditEntry } from '../../../audit/entry.ts'
import { badge, copyable, facts, notice, panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page-types.ts'
import { accessPanel } from './access-panel.ts'
import { credentialsOf, ownClient, pathOf, trail, type ClientKind } from './client-kind.ts'
import { lastUsed, ownStateNotice, stateBadge } from './client-state.ts'
import { expiryFact, expiryPanel } from './expiry-panel.ts'
import { addressesPanel, settingsPanel } from './field-panels.ts'
import { dangerPanel } from './danger-panel.ts'
import { limitsText } from '../operator/limits-panel.ts'
import { keysPanel } from './keys-panel.ts'
import { secretsPanel } from './secrets-panel.ts'

const MAX_URIS = 5

const MAX_ENTRIES = 10

/** The page of one client, with all that its owner can change. */
export function clientPage(kind: ClientKind, services: ConsoleServices): Page {
  const panels = [
    accessPanel(kind, services),
    secretsPanel(kind, services),
    keysPanel(kind, services),
    settingsPanel(kind),
    expiryPanel(kind, services.keyPolicy),
    addressesPanel(kind),
  ]
  const danger = dangerPanel(kind)

  async function header(
    call: Call<Client>,
    { noToken, knownToFormer }: ClientState,
    people: People,
  ): Promise<Html> {
    const { texts, to, resource: client } = call
    const path = pathOf(kind, client)
    const [stateNotice, mayHandOver, mayRotate] = await Promise.all([
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
          ${services.usage && html`<a class="button" href="${to(`${path}/usage`)}">${texts.html('usageTitle')}</a>`}
          ${!isGatewayKey(client) && html`<a class="button" href="${to(`${path}/guide`)}">${texts.html('guideTitle')}</a>`}
        </div>
      </div>
      ${stateNotice} ${knownToFormer.length > 0 && formerNotice(call, knownToFormer, mayRotate)}
      ${panel(
        { title: texts.html('clientsAbout') },
        facts([
          [texts.html('clientIdLabel'), copyable(call, 'client-id', client.clientId)],
          [texts.html('belongsToLabel'), belongsTo(call, path, { people, mayHandOver })],
          [texts.html('createdLabel'), texts.ago(client.createdAt)],
          [
            texts.html('createdByLabel'),
            client.createdBy !== undefined &&
              people({ accountId: client.accountId, userId: client.createdBy }),
          ],
          [texts.html('clientsColumnLastUsed'), lastUsed(call, client)],
          [texts.html('expiryTitle'), expiryFact(call, client)],
          [
            texts.html('addressesTitle'),
            (client.allowedAddresses ?? []).length > 0 &&
              html`<span dir="ltr">${texts.list(client.allowedAddresses ?? [])}</span>`,
          ],
          [
            texts.html('limitsTitle'),
            services.limits && limitsText(call, client.limits ?? services.limits.defaults),
          ],
          [
            texts.html('appsRedirectUris'),
            client.kind === 'application' && redirectUriList(call, kind, client),
          ],
          [
            texts.html('appsOrigins'),
            client.kind === 'application' &&
              client.origins &&
              html`<div class="tight">
                ${client.origins.map((origin) => html`<code dir="ltr">${origin}</code>`)}
              </div>`,
          ],
        ]),
      )}`
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
      const shown = await Promise.all(
        [...panels, danger].map((each) => each.show(call, { secrets, keys, people })),
      )
      const activity = entries && activityPanel(call, entries, { catalog: services.catalog, people })
      return {
        title: applicationName(call.resource),
        trail: trail(call, kind),
        body: html`${state && (await header(call, state, people))} ${shown.slice(0, -1)} ${activity}
        ${shown.at(-1)}`,
      }
    },
    actions: Object.assign({}, ...[...panels, danger].map(({ actions }) => actions)),
  })
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

function belongsTo(
  { texts, to, caller, resource }: Call<Client>,
  path: string,
  { people, mayHandOver }: { people: People; mayHandOver: boolean },
): Html {
  const { accountId, userId } = resource
  const owner = userId === undefined ? texts.html('ownerAccount') : people({ accountId, userId })
  // An account without users has no other person to whom it could hand the client over.
  const hasUsers = (userId ?? caller.userId) !== undefined
  return html`<span class="line"
    >${owner}
    ${mayHandOver && hasUsers && html`<a href="${to(`${path}/hand-over`)}">${texts.html('handOverLink')}</a>`}</span
  >`
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
    ${redirectUris.slice(0, MAX_URIS).map((uri) => html`<code dir="ltr">${uri}</code>`)}
    ${others > 0 && html`<span class="muted">${texts.html('moreOthers', { count: others })}</span>`}
    <a href="${to(`${pathOf(kind, application)}/settings`)}">${texts.html('clientsChangeRedirectUris')}</a>
  </div>`
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
