import type { FrontDoorParts } from '../front-door/access.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import { html, type Html } from '../../http/html.ts'
import { notice } from './elements/elements.ts'
import type { Call, View } from './page-types.ts'

/** The parameter of the query that names the page for a tab in which the caller has only signed in again. */
const OTHER_TAB = 'other-tab'

/**
 * Where the caller signs in again at the host. Undefined if the act needs no fresh sign-in, or if the last one is
 * fresh. Afterwards the host sends the browser back to the page that was opened. If a form was sent, this form is
 * still open in its tab, so the other tab gets a page without a form.
 */
export async function signInAgainUrl(
  { ctx, self }: Pick<Call, 'ctx' | 'self'>,
  permission: ConfirmedPermission | undefined,
  { accounts, issuerOrigin }: Pick<FrontDoorParts, 'accounts' | 'issuerOrigin'>,
): Promise<string | undefined> {
  if (permission === undefined) return undefined
  const search = ctx.method === 'POST' ? `?${OTHER_TAB}=` : ctx.search
  // The origin is always the issuer's, whatever the path is.
  const returnTo = Object.assign(new URL(issuerOrigin), { pathname: self, search })
  return (await accounts.confirm?.(ctx, permission, { base: returnTo.href, returnTo }))?.href
}

/** Says above a form that was sent that it needs a fresh sign-in, with a link that keeps the form in its tab. */
export function signInAgainNotice({ texts }: Pick<Call, 'texts'>, url: string): Html {
  return notice(
    'warn',
    html`<p><strong>${texts.html('freshTitle')}</strong></p>
      <p>${texts.html('freshText')}</p>
      <p>
        <a class="button" href="${url}" target="_blank" rel="noopener noreferrer"
          >${texts.html('freshLink')}</a
        >
      </p>`,
  )
}

/** The page for a tab in which the caller has only signed in again. Undefined for every other request. */
export function otherTabPage({ texts, query }: Pick<Call, 'texts' | 'query'>): View | undefined {
  if (query[OTHER_TAB] === undefined) return undefined
  return {
    title: texts.plain('freshDoneTitle'),
    body: html`<h1>${texts.html('freshDoneTitle')}</h1>
      <p>${texts.html('freshDoneText')}</p>`,
  }
}
