import { html, type Html } from '../../../http/html.ts'
import type { Destination, PendingInteraction } from '../port.ts'
import type { GroupChoice, ScopeGroup } from '../scope-choices.ts'
import type { Texts } from '../texts.ts'
import { applicationName, displayText, quotableText, webAddress } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { alertBox, layout, windowTitle, type Frame } from './layout.ts'
import { scopeFieldset } from './render-scope-choices.ts'

export interface ConsentForms {
  readonly action: string
  readonly switchAction: string
  readonly csrfToken: string
}

export interface ConsentModel {
  /** Undefined for a preview. */
  readonly forms?: ConsentForms | undefined
  readonly application: PendingInteraction['application']
  readonly account: { readonly name: string; readonly login?: string | undefined }
  /** The name of the resource; undefined for the API at {base_url}. */
  readonly resource?: string | undefined
  readonly groups: readonly ScopeGroup[]
  /** In seconds. */
  readonly accessLifetime: number
  /** Undefined in the preview of an application without a redirect URI. */
  readonly destination: Destination | undefined
  readonly connectedApplicationsUri?: string | undefined
  readonly problem?: keyof Texts | undefined
  readonly pressed?: GroupChoice | undefined
}

/** The page on which a person decides what an application may do: who asks, for what, where the browser returns. */
export function consentPage(frame: Frame, model: ConsentModel): Html {
  const { texts, branding } = frame
  const application = applicationName(model.application)
  const names = { application, service: branding.name }
  const { problem, pressed, forms, destination } = model
  const label = problem === undefined ? undefined : 'errorCodeLabel'
  const around = { application, pressed, isInvalid: problem !== undefined }
  const duration = writeDuration(model.accessLifetime, texts.formatLocaleOf('consentDuration'))
  return layout(frame, {
    title: windowTitle(texts, 'consentTitle', forms ? label : 'previewLabel', names),
    isWide: true,
    content: html` <div class="application">
        ${logoTile(application, model.application.logoUri)}
        <div class="intro">
          <h1>
            ${texts.html('consentTitle', { ...names, application: heading(application, model.application) })}
          </h1>
          ${origin(frame, model.application)}
          ${destination && model.application.document && goesTo(frame, model.application.document.host, destination)}
        </div>
      </div>
      <form ${sentTo(forms?.switchAction)} class="account">
        ${csrfField(forms)}
        <p>${texts.html('consentAccount', { account: accountOf(model.account) })}</p>
        <button class="plain">${texts.html('switchAccountButton')}</button>
      </form>
      ${problem !== undefined && alertBox(texts.html(problem))}
      <form ${sentTo(forms?.action)}>
        ${csrfField(forms)} ${DEFAULT_BUTTON}
        ${model.resource !== undefined && html`<p>${texts.html('consentResource', { resource: html`<strong><bdi>${displayText(model.resource)}</bdi></strong>` })}</p>`}
        <p>${texts.html('consentIntro', names)}</p>
        ${model.groups.map((group, index) => scopeFieldset(frame, group, { ...around, id: `group-${index}` }))}
        <div class="facts muted small">
          <p>${texts.html('consentDuration', { ...names, duration })}</p>
          ${manageLater(frame, application, model.connectedApplicationsUri)}
          ${destination && !model.application.document && returnsTo(frame, application, destination)}
          ${policies(frame, application, model.application)}
        </div>
        <div class="buttons">
          <button class="primary" name="action" value="approve">${texts.html('approveButton')}</button>
          <button name="action" value="deny">${texts.html('denyButton')}</button>
        </div>
      </form>`,
  })
}

/** In a preview, the form would open the same page again, but the headers of the preview prevent this. */
function sentTo(action: string | undefined): Html {
  return action === undefined ? html`method="get" action=""` : html`method="post" action="${action}"`
}

function csrfField(forms: ConsentForms | undefined): Html | undefined {
  return forms && html`<input type="hidden" name="csrf" value="${forms.csrfToken}" />`
}

/** The key Enter would press “All” of the first group without this invisible button (HTML 4.10.21.2). */
const DEFAULT_BUTTON = html`<button
  class="unseen"
  name="action"
  value="approve"
  tabindex="-1"
  aria-hidden="true"
></button>`

/** The login distinguishes accounts of the same name. */
function accountOf({ name, login = '' }: ConsentModel['account']): Html {
  const shown = displayText(login)
  const beside = shown !== '' && html` <span class="muted">(<bdi>${shown}</bdi>)</span>`
  return html`<bdi>${displayText(name)}</bdi>${beside}`
}

/** The host of a metadata document is large, because it alone is proven. */
function heading(name: string, { document }: ConsentModel['application']): string | Html {
  return document ? html`<bdi class="host">${name}</bdi>` : name
}

/** Characters of a scheme, a name of the DNS and a port. The end of an address is what counts, so it is never cut. */
const MAX_ORIGIN = 300

function selfDescription({ texts, branding }: Frame, { name, document }: ConsentModel['application']): Html {
  const values = { name: quotableText(name), service: branding.name }
  const text = document?.isVerified ? 'consentVerifiedName' : 'consentCallsItself'
  return html`<p class="muted">${texts.html(text, values)}</p>
    ${document?.hasChanged && html`<p class="warning">${texts.html('consentChanged')}</p>`}`
}

function origin(frame: Frame, application: ConsentModel['application']): Html | undefined {
  const { texts } = frame
  if (application.document) return selfDescription(frame, application)
  const homepage = webAddress(application.homepageUri)
  const developer = displayText(application.developerName ?? '')
  if (!homepage && developer === '') return undefined
  return html`<p class="muted">
    ${developer !== '' && texts.html('consentDeveloper', { developer })}${developer !== '' && homepage && ' · '}
    ${homepage && newTabLink(texts, homepage.href, html`<bdi>${homepage.host}</bdi>`)}
  </p>`
}

function manageLater({ texts }: Frame, application: string, uri: string | undefined): Html | undefined {
  if (uri === undefined) return undefined
  const page = newTabLink(texts, uri, texts.html('consentManagePage'))
  return html`<p>${texts.html('consentManage', { application, page })}</p>`
}

function goesTo(frame: Frame, host: string, destination: Destination): Html {
  const { origin, local } = destination
  if (local !== undefined || origin === `https://${host}`) return returnsTo(frame, host, destination)
  const values = { application: host, address: displayText(origin, MAX_ORIGIN) }
  return html`<p class="warning">${frame.texts.html('consentReturnElsewhere', values)}</p>`
}

function returnsTo({ texts }: Frame, application: string, { origin, local }: Destination): Html {
  const values = { application, address: displayText(origin, MAX_ORIGIN) }
  if (local === 'program') return html`<p class="warning">${texts.html('consentReturnProgram', values)}</p>`
  if (local === 'app') return html`<p class="warning">${texts.html('consentReturnApp', values)}</p>`
  return html`<p>${texts.html('consentReturn', values)}</p>`
}

function policies(
  { texts }: Frame,
  application: string,
  { privacyUri, termsUri }: ConsentModel['application'],
): Html | undefined {
  const links = [
    { name: 'consentPrivacy', url: webAddress(privacyUri) } as const,
    { name: 'consentTerms', url: webAddress(termsUri) } as const,
  ].flatMap(({ name, url }) => (url ? newTabLink(texts, url.href, texts.html(name, { application })) : []))
  return links.length === 0 ? undefined : html`<p class="links">${links}</p>`
}

function newTabLink(texts: Frame['texts'], href: string, content: Html): Html {
  return html`<a href="${href}" target="_blank" rel="noopener noreferrer"
    >${content}<span class="unseen"> ${texts.html('opensNewTab')}</span></a
  >`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats a duration in the largest fitting unit with at most one decimal: “30 days”, “1.5 hours”. */
export function writeDuration(seconds: number, locale: string): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1]
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, format).format(seconds / length)
}
