import { html, type Html } from '../../../http/html.ts'
import type { Texts } from '../texts.ts'
import { displayText } from '../../../http/pages/display-text.ts'
import { intro, layout, type Frame } from './layout.ts'

export interface ErrorModel {
  /** The code of the error, such as `invalid_request` (RFC 6749 4.1.2.1). */
  readonly error: string
  readonly text?: keyof Texts | undefined
  readonly client?: string | undefined
  /** The `{address}` of this text: where the person can go on. */
  readonly link?: string | undefined
  /** In English. It may come from oidc-provider. */
  readonly description?: string | undefined
}

/** The pages of errors, sign-out and the end. Details are closed: a user reads only sentences in their language. */
export function errorPage(frame: Frame, { error, text, client, link, description }: ErrorModel): Html {
  const { texts } = frame
  const address = link === undefined ? undefined : html`<a href="${link}">${new URL(link).host}</a>`
  return layout(frame, {
    title: texts.plain('errorTitle'),
    content: html` <div class="intro">
        <h1>${texts.html('errorTitle')}</h1>
        ${text && html`<p>${texts.html(text, { application: client, address })}</p>`}
        ${link === undefined && html`<p class="muted">${texts.html('errorHint')}</p>`}
      </div>
      <details class="details small">
        <summary class="muted">${texts.html('errorDetails')}</summary>
        <p><span class="muted">${texts.html('errorCodeLabel')}:</span> <code>${displayText(error)}</code></p>
        ${description && html`<p lang="en" dir="ltr">${displayText(description, 400)}</p>`}
      </details>`,
  })
}

export function issuerPage(frame: Frame, discovery: string): Html {
  const { texts, branding } = frame
  const names = { service: branding.name }
  return layout(frame, {
    title: texts.plain('issuerTitle', names),
    content: html`${intro(texts.html('issuerTitle', names), texts.html('issuerIntro', names))}
      <div class="details small">
        <p class="muted">${texts.html('issuerDiscovery')}</p>
        <p><a href="${discovery}">${discovery}</a></p>
      </div>`,
  })
}

export interface SignOutModel {
  readonly action: string
  readonly xsrf: string
}

/** OpenID Connect RP-Initiated Logout 1.0, 2. */
export function signOutPage(frame: Frame, { action, xsrf }: SignOutModel): Html {
  const { texts, branding } = frame
  const names = { service: branding.name }
  return layout(frame, {
    title: texts.plain('signOutTitle', names),
    content: html`${intro(texts.html('signOutTitle', names), texts.html('signOutIntro'))}
      <form method="post" action="${action}">
        <input type="hidden" name="xsrf" value="${xsrf}" />
        <div class="buttons">
          <button class="primary" name="logout" value="yes">${texts.html('signOutButton')}</button>
          <button>${texts.html('staySignedInButton')}</button>
        </div>
      </form>`,
  })
}

export function endPage(frame: Frame, end: 'signedOut' | 'connected'): Html {
  const { texts } = frame
  return layout(frame, {
    title: texts.plain(`${end}Title`),
    content: intro(texts.html(`${end}Title`), texts.html('signedOutIntro')),
  })
}

/** Sends the browser to the next address, at once and without a script. */
export function continuePage(frame: Frame, next: URL): Html {
  const { texts } = frame
  return layout(frame, {
    title: texts.plain('continueTitle'),
    next,
    content: html`${intro(texts.html('continueTitle'), texts.html('continueIntro'))}
      <div class="buttons"><a class="button" href="${next.href}">${texts.html('continueLink')}</a></div>`,
  })
}
