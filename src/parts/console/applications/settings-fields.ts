import type { ApplicationChanges } from '../../../clients/applications.ts'
import type { Application } from '../../../clients/client.ts'
import type { Form } from '../../../http/form-body.ts'
import { linesOf } from '../elements/form.ts'

/** Its value is one text, or a list with one address in each line. */
export type SettingsField = Exclude<keyof ApplicationChanges, 'expiresAt' | 'allowedAddresses'>

export type SettingsTexts = Readonly<Record<SettingsField, string>>

/** In the order of the form. */
const SETTINGS_FIELDS: readonly SettingsField[] = [
  'name',
  'redirectUris',
  'postLogoutRedirectUris',
  'origins',
  'homepageUri',
  'logoUri',
  'privacyUri',
  'termsUri',
]

/** One address in each line. */
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
