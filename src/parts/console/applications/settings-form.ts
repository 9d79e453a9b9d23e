import { etagOf } from '../../../clients/if-match.ts'
import type { Application } from '../../../clients/client.ts'
import type { FieldForm } from '../../../clients/field.ts'
import { html, type Html } from '../../../http/html.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { logoTile } from '../../../http/pages/logo-tile.ts'
import { panel } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { inputNames, plainInput } from '../elements/plain-inputs.ts'
import type { Call } from '../page-types.ts'

type FormCall = Pick<Call<Application>, 'texts' | 'form' | 'problems' | 'self' | 'csrfToken' | 'resource'>

/** The form with all settings, with the version that it changes. @param mayChange else it is locked */
export function settingsForm(call: FormCall, mayChange: boolean): Html {
  const { texts, resource: application } = call
  const version = call.form.get('version') ?? etagOf(application)

  /** @param first the names of inputs that come first */
  function inputs(of: FieldForm, ...first: string[]) {
    const names = new Set([...first, ...inputNames('application', of)])
    return [...names].map((name) => {
      const input = plainInput(call, name, of)
      if (name !== 'logoUri') return html`${input} `
      return html`<div class="beside">
        ${input} ${logoTile(applicationName(application), application.logoUri)}
      </div> `
    })
  }

  const content = html`<input type="hidden" name="version" value="${version}" /> ${panel(
      { title: texts.html('appsSignIn') },
      html`${inputs('signIn', 'redirectUris', 'origins')}`,
    )}
    ${panel(
      { title: texts.html('appsAppearance') },
      html`<p class="muted">${texts.html('appsAppearanceHint')}</p>
        ${inputs('appearance')}`,
    )}`
  if (!mayChange) return html`<fieldset disabled class="stack">${content}</fieldset>`
  return form(
    call,
    { action: 'save' },
    html`${content}
      <div class="buttons"><button class="primary">${texts.html('saveButton')}</button></div>`,
  )
}
