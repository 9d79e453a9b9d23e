import { etagOf } from '../../../clients/if-match.ts'
import type { Application } from '../../../clients/client.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { panel } from '../elements/elements.ts'
import { FIELD_LABELS } from '../elements/problem-list.ts'
import { field, form } from '../elements/form.ts'
import type { Call } from '../page-types.ts'
import type { TextName } from '../texts.ts'
import { textsOf, type SettingsField } from './settings-fields.ts'
import { MAX_NAME_LENGTH } from '../../../validation/rules.ts'

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

type FormCall = Pick<Call<Application>, 'texts' | 'form' | 'problems' | 'self' | 'csrfToken' | 'resource'>

/**
 * The form with all settings. It has the version of the application, so that an old form does not overwrite
 * newer changes.
 *
 * @param mayChange otherwise the fields are locked
 */
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
