import { html, type Html } from '../../../http/html.ts'
import type { Texts } from '../texts.ts'
import { applicationName } from '../../../http/pages/display-text.ts'
import { alertBox, intro, layout, windowTitle, type Frame } from './layout.ts'

export interface SignInModel {
  readonly action: string
  readonly csrfToken: string
  readonly application: { readonly name: string; readonly clientId: string }
  readonly identifier?: string | undefined
  readonly problem?: keyof Texts | undefined
}

/** The built-in sign-in page: its fields, the longest inputs, and what has the focus. */
export function signInPage(frame: Frame, model: SignInModel): Html {
  const { texts } = frame
  const { identifier, problem } = model
  const application = applicationName(model.application)
  const invalid = problem !== undefined && html`aria-invalid="true" aria-describedby="problem"`
  // The box of a problem takes the focus. Otherwise the first empty field takes it.
  const focus = problem === undefined && 'autofocus'
  const known = identifier !== undefined && identifier !== ''
  return layout(frame, {
    title: windowTitle(texts, 'signInTitle', problem && 'errorCodeLabel'),
    content: html`${intro(texts.html('signInTitle'), texts.html('signInIntro', { application }))}
      ${problem !== undefined && alertBox(texts.html(problem))}
      <form method="post" action="${model.action}">
        <input type="hidden" name="csrf" value="${model.csrfToken}" />
        <div class="field">
          <label for="identifier">${texts.html('identifierLabel')}</label>
          <input
            type="text"
            id="identifier"
            name="identifier"
            value="${identifier}"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            required
            maxlength="320"
            dir="auto"
            ${invalid}
            ${!known && focus}
          />
        </div>
        <div class="field">
          <label for="password">${texts.html('passwordLabel')}</label>
          <input
            type="password"
            id="password"
            name="password"
            autocomplete="current-password"
            required
            maxlength="1024"
            ${invalid}
            ${known && focus}
          />
        </div>
        <div class="buttons"><button class="primary">${texts.html('signInButton')}</button></div>
      </form>`,
  })
}
