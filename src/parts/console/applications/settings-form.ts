import { etagOf } from '../../../clients/if-match.ts'
import type { ApplicationChanges } from '../../../clients/applications.ts'
import type { Application } from '../../../clients/client.ts'
import type { Form } from '../../../http/form-body.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { panel } from '../elements/elements.ts'
import { FIELD_LABELS } from '../elements/problem-list.ts'
import { field, form, linesOf } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { MAX_NAME_LENGTH } from '../../../validation/rules.ts'

/** Its value is one text, or a list with one address in each line. */
export type SettingsField = Exclude<keyof ApplicationChanges, 'expiresAt' | 'allowedAddresses'>

export type SettingsTexts = Readonly<Record<SettingsField, string>>

const HINTS: Readonly<Record<SettingsField, TextName>> = {
  name: 'appsNameHint',
  redirectUris: 'appsRedirectUrisHint',
  postLogoutRedirectUris: 'appsPostLogoutHint',
  origins: 'appsOriginsHint',
  homepageUri: 'appsHomepageHint',
  logoUri: 'appsLogoHint',
  privacyUri: 'appsLinkHint',
  termsUri: 'appsLinkHint',
}

const SETTINGS_FIELDS = Object.keys(HINTS) as SettingsField[]

type FormCall = Pick<Call<Application>, 'texts' | 'form' | 'problems' | 'self' | 'csrfToken' | 'resource'>

/** The form with all settings, with the version that it changes. @param mayChange else it is locked */
export function settingsForm(call: FormCall, mayChange: boolean): Html {
  const { texts, resource: application } = call
  const stored = textsOf(application)
  const isPublic = application.isPublic === true
  const version = call.form.get('version') ?? etagOf(application)

  function settingsField(name: SettingsField, type: 'text' | 'url' | 'lines'): Html {
    const isName = name === 'name'
    return field(call, {
      name,
      type,
      label: texts.html(FIELD_LABELS[name]),
      hint: texts.html(name === 'redirectUris' && isPublic ? 'appsRedirectUrisPublicHint' : HINTS[name]),
      value: stored[name],
      isRequired: isName,
      isCode: !isName,
      autocomplete: 'off',
      ...(isName && { maxLength: MAX_NAME_LENGTH }),
    })
  }

  const content = html`<input type="hidden" name="version" value="${version}" /> ${panel(
      { title: texts.html('appsSignIn') },
      html`${settingsField('redirectUris', 'lines')} ${isPublic && settingsField('origins', 'lines')}
      ${settingsField('postLogoutRedirectUris', 'lines')}`,
    )}
    ${panel(
      { title: texts.html('appsAppearance') },
      html`<p class="muted">${texts.html('appsAppearanceHint')}</p>
        ${settingsField('name', 'text')} ${settingsField('homepageUri', 'url')}
        <div class="beside">
          ${settingsField('logoUri', 'url')} ${logoTile(applicationName(application), application.logoUri)}
        </div>
        ${settingsField('privacyUri', 'url')} ${settingsField('termsUri', 'url')}`,
    )}`
  if (!mayChange) return html`<fieldset disabled class="stack">${content}</fieldset>`
  return form(
    call,
    { action: 'save' },
    html`${content}
      <div class="buttons"><button class="primary">${texts.html('saveButton')}</button></div>`,
  )
}

const LISTS: readonly SettingsField[] = ['redirectUris', 'postLogoutRedirectUris', 'origins']

/** The stored settings of an application. */
export function textsOf(application: Application): SettingsTexts {
  const { name, homepageUri = '', logoUri = '', privacyUri = '', termsUri = '' } = application
  const { redirectUris, postLogoutRedirectUris, origins = [] } = application
  return {
    name,
    homepageUri,
    logoUri,
    privacyUri,
    termsUri,
    redirectUris: redirectUris.join('\n'),
    postLogoutRedirectUris: postLogoutRedirectUris.join('\n'),
    origins: origins.join('\n'),
  }
}

/** Without empty lines. A field that was not sent has its stored value. */
export function readTexts(form: Form, stored: SettingsTexts): SettingsTexts {
  const texts: Record<SettingsField, string> = { ...stored }
  for (const name of SETTINGS_FIELDS) {
    const sent = form.get(name)
    if (sent !== null) texts[name] = linesOf(sent).join('\n')
  }
  return texts
}

export function changedFields(from: SettingsTexts, to: SettingsTexts): SettingsField[] {
  return SETTINGS_FIELDS.filter((name) => from[name] !== to[name])
}

/** The change that sets these fields. An empty optional field is removed. */
export function toChanges(texts: SettingsTexts, fields: readonly SettingsField[]): ApplicationChanges {
  const entries = fields.map((name) => {
    const text = texts[name]
    if (LISTS.includes(name)) {
      return [name, text === '' ? [] : text.split('\n')]
    }
    return [name, text === '' && name !== 'name' ? null : text]
  })
  return Object.fromEntries(entries) as ApplicationChanges
}
