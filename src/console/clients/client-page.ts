import type { ConsoleServices } from '../services.ts'
import type { Application, Client } from '../../clients/client.ts'
import type { SecretInfo } from '../../clients/client-service-types.ts'
import { html, type Html } from '../../http/html.ts'
import { applicationName } from '../../http/pages/display-text.ts'
import { auditTable } from '../activity/audit-table.ts'
import { copyable, facts, notice, panel } from '../elements/elements.ts'
import { page, type Call, type Page } from '../page.ts'
import { accessPanel } from './access-panel.ts'
import { ownClient, pathOf, word, trail, type ClientKind } from './client-kind.ts'
import { lastUsed, stateBadge } from './client-state.ts'
import { dangerPanel } from './danger-panel.ts'
import { secretsPanel } from './secrets-panel.ts'
import { settingsPanel } from './settings-panel.ts'

/** Redirect URIs that the page shows. */
const MAX_URIS = 5

/** Entries of the audit trail that the page shows. */
const MAX_ENTRIES = 10

/** The page of one client, with all that its owner can change. */
export function clientPage(kind: ClientKind, services: ConsoleServices): Page {
  const panels = [accessPanel(kind, services), secretsPanel(kind, services), settingsPanel(kind)]
  const danger = dangerPanel(kind)

  function header(call: Call<Client>, secrets: readonly SecretInfo[]): Html {
    const { texts, to, resource: client } = call
    const hasNoUri = client.kind === 'application' && client.redirectUris.length === 0
    const badge = stateBadge(call, services.catalog.current, client, secrets.length > 0)
    return html`${trail(call, kind)}
      <div class="line spread">
        <div class="line">
          <h1><bdi>${applicationName(client)}</bdi></h1>
          ${badge}
        </div>
        <a class="button" href="${to(`${pathOf(kind, client)}/guide`)}">${texts.html('guideTitle')}</a>
      </div>
      ${client.disabled && notice('bad', html`<p>${texts.html(word(kind, 'IsDisabled'))}</p>`)}
      ${hasNoUri && noRedirectUri(call, `${pathOf(kind, client)}/settings`)}
      ${panel(
        { title: texts.html('clientsAbout') },
        facts([
          [texts.html('clientIdLabel'), copyable(call, 'client-id', client.clientId)],
          [texts.html('createdLabel'), texts.date(client.createdAt)],
          [texts.html('clientsColumnLastUsed'), lastUsed(call, client)],
          [
            texts.html('appsRedirectUris'),
            client.kind === 'application' && redirectUriList(call, kind, client),
          ],
        ]),
      )}`
  }

  return page<Client>({
    ...ownClient(kind),
    access: `${kind.permissions}:read`,
    async show(call) {
      const [secrets, activity] = await Promise.all([
        kind.service.listSecrets(call.resource.clientId),
        activityPanel(call, services),
      ])
      const shown = await Promise.all([...panels, danger].map((each) => each.show(call, secrets)))
      return {
        title: applicationName(call.resource),
        body: html`${header(call, secrets)} ${shown.slice(0, -1)} ${activity} ${shown.at(-1)}`,
      }
    },
    actions: Object.assign({}, ...[...panels, danger].map(({ actions }) => actions)),
  })
}

function noRedirectUri({ texts, to }: Pick<Call, 'texts' | 'to'>, settings: string): Html {
  const link = html`<a href="${to(settings)}">${texts.html('clientsSetRedirectUri')}</a>`
  return notice('warn', html`<p>${texts.html('clientsNoRedirectUri')} ${link}</p>`)
}

/** The redirect URIs of an application, and where its developer changes them. */
function redirectUriList(
  { texts, to }: Pick<Call, 'texts' | 'to'>,
  kind: ClientKind,
  application: Application,
): Html | undefined {
  const { redirectUris } = application
  // A notice above says that there are none.
  if (redirectUris.length === 0) return undefined
  const others = redirectUris.length - MAX_URIS
  return html`<div class="tight">
    ${redirectUris.slice(0, MAX_URIS).map((uri) => html`<code dir="ltr">${uri}</code>`)}
    ${others > 0 && html`<span class="muted">${texts.html('moreOthers', { count: others })}</span>`}
    <a href="${to(`${pathOf(kind, application)}/settings`)}">${texts.html('clientsChangeRedirectUris')}</a>
  </div>`
}

/** The last changes of a client. Undefined if the caller may not read the audit trail. */
async function activityPanel(
  call: Call<Client>,
  { audit, catalog }: ConsoleServices,
): Promise<Html | undefined> {
  const { texts, to, has, resource: client } = call
  if (!(await call.may('audit:read'))) return undefined
  const { items } = await audit.list({ clientId: client.clientId, limit: MAX_ENTRIES })
  return panel(
    { title: texts.html('navActivity'), id: 'activity' },
    html`${items.length === 0 ? html`<p class="muted">${texts.html('clientsActivityNone')}</p>` : auditTable(call, items, { catalog })}
    ${has('activity') && html`<p><a href="${to('/activity')}">${texts.html('clientsActivityAll')}</a></p>`}`,
  )
}
