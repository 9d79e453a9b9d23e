import type { Resource, Resources } from '../../../catalog/resources.ts'
import type { Application } from '../../../clients/client.ts'
import type { Connection } from '../../../grants/connections.ts'
import { html, type Html } from '../../../http/html.ts'
import { isDocumentId } from '../../../validation/document-id.ts'
import {
  applicationName,
  displayText,
  unknownClientName,
  webAddress,
} from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { OPENID_SCOPES } from '../scope-title.ts'
import { badge } from '../elements/elements.ts'
import { selfDescription } from '../elements/self-description.ts'
import { confirmLink } from '../elements/confirm.ts'
import type { Call } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import type { Reader } from '../reader-formats.ts'

const VISIBLE = 5

export interface ConnectionModel {
  readonly connection: Connection
  readonly application: Application | undefined
  readonly developer: string | undefined
}

/** One connected application: who made it, and what it may do, sensitive operations first. */
export function connectionCard(
  call: Pick<Call, 'texts' | 'self'>,
  { resources, branding }: Pick<ConsoleServices, 'resources' | 'branding'>,
  { connection, application, developer = '' }: ConnectionModel,
  mayDisconnect: boolean,
): Html {
  const { texts } = call
  const { clientId, scopes, connectedAt, lastUsedAt } = connection
  const name = application ? applicationName(application) : nameOfUnknown(call, clientId)
  const since = texts.html('connectedSince', { date: texts.date(connectedAt) })
  const used = lastUsedAt !== undefined && texts.html('connectedLastUsed', { date: texts.date(lastUsedAt) })
  return html`<li class="panel">
    <div class="identity">
      ${logoTile(application ? name : '?', application?.logoUri)}
      <div class="tight">
        <h2><bdi>${name}</bdi></h2>
        ${application && selfDescription({ texts, service: branding.name }, application)}
        ${application && origin(texts, application, displayText(developer))}
      </div>
      ${
        mayDisconnect &&
        confirmLink(
          call,
          { action: 'disconnect', fields: { application: clientId } },
          html`${texts.html('connectedDisconnect')}<span class="unseen"> ${name}</span>`,
        )
      }
    </div>
    ${application ? permissions(texts, resources, scopes) : html`<p>${texts.html(isDocumentId(clientId) ? 'connectedDocumentMissing' : 'connectedUnknownHint', { clientId })}</p>`}
    <p class="muted small">${since}${used && html` · ${used}`}</p>
  </li>`
}

export function nameOfUnknown({ texts }: Pick<Call, 'texts'>, clientId: string): string {
  return isDocumentId(clientId) ? unknownClientName(clientId) : texts.plain('connectedUnknown')
}

function origin(texts: Reader, { homepageUri, privacyUri }: Application, developer: string) {
  const homepage = webAddress(homepageUri)
  const privacy = webAddress(privacyUri)
  const parts = [
    developer !== '' && texts.html('connectedDeveloper', { developer }),
    homepage && newTab(texts, homepage, html`<bdi>${homepage.host}</bdi>`),
    privacy && newTab(texts, privacy, texts.html('privacyPolicy')),
  ].filter((part) => part !== false && part !== undefined)
  if (parts.length === 0) return undefined
  return html`<p class="muted small">${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}</p>`
}

function newTab(texts: Reader, { href }: URL, content: Html): Html {
  return html`<a href="${href}" target="_blank" rel="noopener noreferrer"
    >${content}<span class="unseen"> ${texts.html('opensNewTab')}</span></a
  >`
}

function permissions(texts: Reader, { all, main }: Resources, scopes: Connection['scopes']): Html {
  const lists = all.flatMap((resource) => {
    const heading =
      resource === main
        ? texts.html('connectedMay')
        : texts.html('connectedMayAt', { resource: displayText(texts.localize(resource.title ?? '')) })
    return permissionsAt(texts, resource, scopes.get(resource.address) ?? [], heading) ?? []
  })
  return lists.length > 0 ? html`${lists}` : html`<p class="muted">${texts.html('connectedMayNothing')}</p>`
}

/** Sensitive operations first, so that they are visible. Scopes without an operation give no access. */
function permissionsAt(texts: Reader, { catalog }: Resource, scopes: readonly string[], heading: Html) {
  const granted = new Set(scopes)
  const operations = [...catalog.current.operations.values()]
    .filter(({ scope }) => granted.has(scope))
    .toSorted((one, other) => Number(other.sensitive) - Number(one.sensitive))
    .map(
      ({ title, sensitive }) =>
        html`<li>
          ${texts.localize(title)}${sensitive && html` ${badge(texts.html('sensitiveLabel'), 'warn')}`}
        </li>`,
    )
  const aboutPerson = [...OPENID_SCOPES]
    .filter(([scope]) => granted.has(scope))
    .map(([, name]) => html`<li>${texts.html(name)}</li>`)
  const all = [...operations, ...aboutPerson]
  if (all.length === 0) return undefined
  // Hiding only one entry would save no space.
  const visible = all.length > VISIBLE + 1 ? VISIBLE : all.length
  const hidden = all.slice(visible)
  return html`<div class="tight">
    <p class="muted small">${heading}</p>
    <ul class="bullets">
      ${all.slice(0, visible)}
    </ul>
    ${
      hidden.length > 0 &&
      html`<details>
        <summary>${texts.html('moreCount', { count: hidden.length })}</summary>
        <ul class="bullets">
          ${hidden}
        </ul>
      </details>`
    }
  </div>`
}
