import type { Context } from 'koa'
import type { ConsolePage } from 'koa-gatehouse/console'
import { html, page, trustedHtml } from '../page.ts'
import { signedInAccount, site } from './website.ts'

/** A page of the console in the layout of the website. */
export function consoleLayout(ctx: Context, { title, body, csp, lang, dir }: ConsolePage): string {
  // The website's own policy plus what the console needs.
  const directives = Object.entries(csp).map(([name, sources]) => [name, ...sources].join(' '))
  ctx.set('content-security-policy', [`default-src 'none'`, ...directives].join('; '))
  const account = signedInAccount(ctx)
  return page(site, title, trustedHtml(body), {
    lang,
    dir,
    isWide: true,
    account: account && accountBar(account),
  })
}

/** Who is signed in, and the form that signs out. */
const accountBar = ({ name }: { name: string }) => html`
  <form class="account" method="post" action="/logout">
    <a href="/">${name}</a>
    <button class="plain">Sign out</button>
  </form>
`
