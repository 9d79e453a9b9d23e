import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Router } from '@koa/router'
import type { Context } from 'koa'
import { html, page, stylesheet } from '../page.ts'
import { checkPassword, DEMO_USERS, findAccount } from './accounts.ts'
import { inEuros, invoicesOf } from './api.ts'

/** The name, the tagline and the stylesheet that every page shows. */
export const site = { name: 'Harbour Ledger', tagline: 'Invoices for small businesses', style: '/style.css' }

/** The account of the person who is signed in, from the host's own session in this browser. */
export const signedInAccount = (ctx: Context) => findAccount(String(ctx.session?.accountId ?? ''))

/**
 * The pages that the host had before it became an API platform: home, sign-in, sign-out.
 *
 * @param origin the host's own origin, which `next` must not leave
 */
export function website(origin: string): Router {
  return new Router()
    .get('/style.css', (ctx) => {
      ctx.type = 'css'
      ctx.body = stylesheet('#0f5e8c')
    })
    .get('/', (ctx) => {
      const account = signedInAccount(ctx)
      ctx.body = page(site, 'Home', account ? accountPage(account) : welcomePage())
    })
    .get('/login', (ctx) => {
      const next = localPath(ctx.query.next, origin)
      // The parameter `again` is present if gatehouse requires a new sign-in (prompt=login, max_age).
      if (signedInAccount(ctx) && ctx.query.again === undefined) ctx.redirect(next)
      else ctx.body = page(site, 'Sign in', signInPage(next, formToken(ctx)))
    })
    .post('/login', (ctx) => {
      const { username, password, next, csrf } = Object(ctx.request.body)
      const isOurs = isFormToken(ctx, csrf)
      const account = isOurs ? checkPassword(String(username), String(password)) : undefined
      if (!account) {
        ctx.status = isOurs ? 401 : 403
        const problem = isOurs
          ? 'Unknown name or wrong password.'
          : 'This form has expired. Sign in once more.'
        const typed = isOurs && typeof username === 'string' ? username : ''
        const again = signInPage(localPath(next, origin), formToken(ctx), { problem, username: typed })
        ctx.body = page(site, 'Sign in', again)
        return
      }
      // The new session takes over nothing from the previous session.
      ctx.session = { accountId: account.id, signedInAt: Math.floor(Date.now() / 1000) }
      ctx.status = 303
      ctx.redirect(localPath(next, origin))
    })
    .post('/logout', (ctx) => {
      ctx.session = null
      ctx.status = 303
      ctx.redirect('/')
    })
}

/**
 * A token that proves that the sign-in form is ours, and was made for this browser. Without this token,
 * another site could sign users in to an account of the attacker, and the attacker could see what the users
 * write there. `sameSite` does not prevent this, because such a form needs no cookie.
 */
function formToken(ctx: Context): string {
  return (ctx.session.csrf ??= randomBytes(32).toString('base64url'))
}

function isFormToken(ctx: Context, token: unknown): boolean {
  const expected = Buffer.from(String(ctx.session.csrf ?? ''))
  const given = Buffer.from(typeof token === 'string' ? token : '')
  return expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given)
}

/**
 * The address after sign-in: always a path on this host. Otherwise a link to our sign-in page could lead to another site
 * (an open redirect).
 */
export function localPath(next: unknown, origin: string): string {
  const url = typeof next === 'string' ? URL.parse(next, origin) : null
  if (url === null) return '/'
  // A path may itself start with two slashes, which a browser would read as another host.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search : '/'
}

/**
 * Headers for every page of the site. There is no `form-action`, because a sign-in may redirect to the
 * address of a third party.
 */
export async function pageHeaders(ctx: Context, next: () => Promise<unknown>): Promise<void> {
  await next()
  if (ctx.response.is('html') && !ctx.response.get('content-security-policy')) {
    ctx.set(
      'content-security-policy',
      "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    ctx.set('cache-control', 'no-store')
  }
}

const welcomePage = () => html`
  <section>
    <h1>Get paid on time</h1>
    <p>Write invoices, see who has paid, and connect the software that you already use.</p>
    <div class="actions"><a class="button" href="/login">Sign in</a></div>
  </section>
  <section>
    <h2>For developers</h2>
    <p>Create an API key for your own account, or an application for other accounts.</p>
    <div class="actions"><a class="button" href="/console">API console</a></div>
  </section>
`

const signInPage = (next: string, csrf: string, failed?: { problem: string; username: string }) => html`
  ${failed && html`<p class="note bad" role="alert">${failed.problem}</p>`}
  <section>
    <h1>Sign in</h1>
    <form method="post" action="/login">
      <input type="hidden" name="next" value="${next}" />
      <input type="hidden" name="csrf" value="${csrf}" />
      <label
        >Name
        <input
          name="username"
          value="${failed?.username}"
          autocomplete="username"
          autocapitalize="none"
          required
          ${!failed && 'autofocus'}
      /></label>
      <label
        >Password
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          ${failed && 'autofocus'}
      /></label>
      <div class="actions"><button>Sign in</button></div>
    </form>
  </section>
  <section>
    <h2>Who you can be</h2>
    <table>
      ${DEMO_USERS.map(
        ({ username, password, role }) =>
          html`<tr>
            <td>${username}</td>
            <td>${password}</td>
            <td>${role}</td>
          </tr>`,
      )}
    </table>
  </section>
`

const accountPage = (account: { id: string; name: string; email: string }) => html`
  <section>
    <h1>${account.name}</h1>
    <p>${account.email}</p>
    <form class="actions" method="post" action="/logout">
      <a class="button" href="/applications">Connected applications</a>
      <a class="button" href="/console">API console</a>
      <button class="plain">Sign out</button>
    </form>
  </section>
  <section>
    <h2>Your invoices</h2>
    <table>
      <tr>
        <th>Invoice</th>
        <th>Customer</th>
        <th>State</th>
        <th class="amount">Amount</th>
      </tr>
      ${invoicesOf({ accountId: account.id }).map(
        (invoice) =>
          html`<tr>
            <td>${invoice.id}</td>
            <td>${invoice.customer}</td>
            <td>${invoice.paid ? 'Paid' : 'Open'}</td>
            <td class="amount">${inEuros(invoice.amount)}</td>
          </tr>`,
      )}
    </table>
  </section>
`
