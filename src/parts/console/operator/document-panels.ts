import type { ClientDocument } from '../../../clients/documents/document-service.ts'
import { html, type Html } from '../../../http/html.ts'
import { displayText, quotableText } from '../../../http/pages/display-text.ts'
import { badge, facts } from '../elements/elements.ts'
import { confirmLink } from '../elements/confirm.ts'
import { lastUsed } from '../clients/no-token-state.ts'
import type { Call } from '../page-types.ts'

/** The service counts no further. */
const MANY_USERS = 1000

/** One panel for each host, with its documents. */
export function hostPanels(call: Call, documents: readonly ClientDocument[]): readonly Html[] {
  const hosts = [...new Set(documents.map(({ host }) => host))]
  return hosts.map((host) => {
    const own = documents.filter((each) => each.host === host)
    const isBlocked = own.some(({ rejected }) => rejected === 'blocked')
    return hostPanel(call, host, own, isBlocked)
  })
}

function hostPanel(call: Call, host: string, documents: readonly ClientDocument[], isBlocked: boolean): Html {
  const { texts } = call
  const name = html`<span class="unseen"> ${host}</span>`
  const link = { action: 'block', fields: { host } }
  return html`<section class="panel">
    <div class="line spread">
      <h2 class="host"><bdi>${host}</bdi></h2>
      ${
        isBlocked
          ? badge(texts.html('documentsBlocked'), 'bad')
          : confirmLink(call, link, html`${texts.html('documentsBlock')}${name}`)
      }
    </div>
    <ul class="items">
      ${documents.map((each) => html`<li>${documentEntry(call, each)}</li>`)}
    </ul>
  </section>`
}

function documentEntry({ texts, to }: Call, document: ClientDocument): Html {
  const { clientId, name, method, redirectUris, approvedAt, fetchedAt, rejected } = document
  const hasNoPolicy = rejected === 'no-policy'
  const problem =
    document.problem !== undefined &&
    html`<span lang="en" dir="ltr">${displayText(document.problem, 300)}</span>`
  return html`<div class="tight">
    <h3>
      ${texts.html(document.isNameVerified ? 'documentsVerifiedName' : 'documentsCallsItself', { name: quotableText(name) })}
      ${hasNoPolicy && badge(texts.html('documentsNoPolicy'), 'warn')}
    </h3>
    <p class="small"><code dir="ltr">${clientId}</code></p>
    ${hasNoPolicy && html`<p class="hint">${texts.html('documentsNoPolicyText')}</p>`}
    ${facts([
      [texts.html('documentsApprovedBy'), usersText(texts, document)],
      [texts.html('sinceLabel'), texts.ago(approvedAt)],
      [texts.html('operatorLastUsed'), lastUsed({ texts }, document)],
      [
        texts.html('documentsMethod'),
        texts.html(method === 'none' ? 'documentsMethodNone' : 'documentsMethodKey'),
      ],
      [texts.html('documentsFetched'), texts.ago(fetchedAt)],
      [texts.html('documentsProblem'), problem && texts.html('documentsProblemText', { problem })],
    ])}
    <details>
      <summary>${texts.html('documentsRedirects', { count: redirectUris.length })}</summary>
      <ul class="plain-list tight">
        ${redirectUris.map((uri) => html`<li><code dir="ltr">${uri}</code></li>`)}
      </ul>
    </details>
    <p class="small">
      <a href="${to('/operator/audit', { by: 'client', value: clientId })}"
        >${texts.html('documentsActivity')}<span class="unseen"> ${clientId}</span></a
      >
    </p>
  </div>`
}

function usersText(texts: Call['texts'], { users }: ClientDocument): Html {
  if (users < MANY_USERS) return texts.html('documentsUsers', { count: users })
  return texts.html('documentsManyUsers', { number: texts.number(MANY_USERS) })
}
