import { requireFreshSignIn } from '../front-door/require-fresh-sign-in.ts'
import type { FrontDoorParts } from '../front-door/access.ts'
import { Rejection } from '../front-door/rejection.ts'
import { Form } from '../../http/form-body.ts'
import type { ConfirmedPermission } from '../../host/accounts.ts'
import { html, type Html } from '../../http/html.ts'
import { buttons, panel } from './elements/elements.ts'
import { form } from './elements/form.ts'
import type { KeptForm, KeptForms } from './kept-forms.ts'
import type { Call, Page, View } from './page-types.ts'

// 1. An action calls `requireFreshSignIn`, and the host answers with the address of its sign-in.
// 2. The form is kept, and `askPage` has a link to that address.
// 3. The host sends the browser back to the page, with the id of the form in the query.
// 4. `continuePage` shows the form again. The person sends it like any other form, so the host is asked once more.

/** The parameter of the query with the id of the kept form. */
const KEPT = 'form'

/** The parts that keep forms while their senders sign in again. */
export interface FreshSignInParts extends Pick<FrontDoorParts, 'accounts' | 'issuerOrigin' | 'tokens'> {
  readonly keptForms: KeptForms
}

/** The address to which the host sends the browser back. Its origin is always the issuer's, whatever the path is. */
const addressOf = ({ self }: Pick<Call, 'self'>, { issuerOrigin }: Pick<FreshSignInParts, 'issuerOrigin'>) =>
  Object.assign(new URL(issuerOrigin), { pathname: self })

const senderOf = (call: Call, parts: FreshSignInParts) => ({
  caller: call.caller,
  browser: call.caller.isSession ? parts.tokens.browserOf(call.ctx) : undefined,
  address: addressOf(call, parts).pathname,
})

/**
 * Creates `Call.requireFreshSignIn` for a submitted form.
 *
 * @returns the function, and a function that makes the page for its rejection
 */
export function freshSignInOf(call: Call, page: Page, parts: FreshSignInParts) {
  const { ctx } = call
  const id = parts.keptForms.newId()
  const returnTo = Object.assign(addressOf(call, parts), { search: `?${KEPT}=${id}` })
  let asked: ConfirmedPermission | undefined
  return {
    requireFreshSignIn(permission: ConfirmedPermission): Promise<void> {
      asked = permission
      return requireFreshSignIn(parts, ctx, permission, returnTo)
    },
    /** Keeps the form if the host demands a sign-in. @returns the page that leads there; undefined for another error */
    async askAgain(error: unknown, sent: Form): Promise<View | undefined> {
      const url = error instanceof Rejection ? error.details.confirmUrl : undefined
      if (url === undefined || asked === undefined) return undefined
      const kept = { form: new Form(sent), permission: asked }
      kept.form.delete('csrf')
      await parts.keptForms.keep(id, kept, senderOf(call, parts))
      return askPage(call, url, await whatOf(call, page, kept))
    },
  }
}

/** What a form does, in the words of its page, and the effect. */
async function whatOf(call: Call, page: Page, { form: sent, permission }: KeptForm): Promise<Html> {
  const { texts } = call
  const action = page.actions?.[sent.get('action') ?? '']
  const confirmation = await action?.confirm?.({ ...call, form: sent })
  const title = confirmation
    ? texts.plain(confirmation.title, confirmation.values)
    : (await page.show(call))?.title
  return html`<p><strong>${title}</strong></p>
    <p>${texts.html(action?.effect?.(sent) ?? EFFECTS[effectOf(permission)])}</p>`
}

const EFFECTS = {
  create: 'freshShowsSecret',
  rotate: 'freshShowsSecret',
  delete: 'freshDeletes',
  operator: 'freshRevokes',
} as const

function effectOf(permission: ConfirmedPermission): keyof typeof EFFECTS {
  return (permission.split(':')[1] ?? 'operator') as keyof typeof EFFECTS
}

/** The page that leads to the host. A redirect would not work: browsers check its target against `form-action`. */
function askPage({ texts, self }: Call, url: string, what: Html): View {
  return {
    title: texts.plain('freshTitle'),
    body: html`<h1>${texts.html('freshTitle')}</h1>
      ${panel(
        { title: texts.html('freshWhy') },
        html`${what}
          <p class="muted">${texts.html('freshText')}</p>
          <div class="buttons">
            <a class="button primary" href="${url}">${texts.html('freshLink')}</a>
            <a class="button plain" href="${self}">${texts.html('cancelLink')}</a>
          </div>`,
      )}`,
  }
}

/**
 * The page after the return from the host, with the form that was kept. Undefined if the request does not come from the
 * host.
 *
 * @param page the page of the form
 * @returns `gone` if the form is no longer kept, or was kept for another person, browser or page
 */
export async function continuePage(
  call: Call,
  page: Page,
  parts: FreshSignInParts,
): Promise<View | 'gone' | undefined> {
  const id = call.query[KEPT]
  // A HEAD request must not use up the form.
  if (id === undefined || call.ctx.method !== 'GET') return undefined
  const kept = await parts.keptForms.take(id, senderOf(call, parts))
  if (!kept) return 'gone'
  const { texts, self } = call
  const fields = [...kept.form].filter(([name]) => name !== 'action')
  const isDanger = ['delete', 'operator'].includes(effectOf(kept.permission))
  return {
    title: texts.plain('freshDoneTitle'),
    body: html`<h1>${texts.html('freshDoneTitle')}</h1>
      ${panel(
        { title: texts.html('freshDoneNext'), isDanger },
        form(
          call,
          { action: kept.form.get('action') ?? '' },
          html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
          ${await whatOf(call, page, kept)}
          ${buttons(call, 'freshContinue', self, isDanger ? 'danger' : 'primary')}`,
        ),
      )}`,
  }
}
