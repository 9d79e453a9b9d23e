/**
 * The server of a single-page app, at an origin of its own. It only sends files: it has no secret, and sees no token.
 * `single-page-app/connection.js` is the program in the browser.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import Koa from 'koa'
import { appPage, IMPORT_MAP, style } from './single-page-app/page.ts'

/** What the script in the browser has to know. All of it is public. */
export interface PublicSettings {
  /** {auth_url} */
  readonly issuer: string
  /** {base_url} */
  readonly api: string
  readonly clientId: string
}

const readAsset = (address: URL) => readFileSync(address, 'utf8')

/** The types and texts of the files, by path. */
const FILES = new Map([
  ['/', ['html', appPage]],
  ['/style.css', ['css', style]],
  ['/app.js', ['js', readAsset(new URL('./single-page-app/app.js', import.meta.url))]],
  ['/connection.js', ['js', readAsset(new URL('./single-page-app/connection.js', import.meta.url))]],
  // The package is one file, which browsers load as it is.
  ['/oauth4webapi.js', ['js', readFileSync(createRequire(import.meta.url).resolve('oauth4webapi'), 'utf8')]],
])

/** Creates the server. */
export function createSinglePageApp(settings: PublicSettings): Koa {
  // Only the files above run as scripts, and they talk only to this server and to the service.
  const csp = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(IMPORT_MAP).digest('base64')}'`,
    "style-src 'self'",
    `connect-src 'self' ${new URL(settings.issuer).origin} ${new URL(settings.api).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

  return new Koa().use((ctx) => {
    ctx.set({ 'content-security-policy': csp, 'referrer-policy': 'no-referrer' })
    const [type, text] = FILES.get(ctx.path) ?? []
    if (type !== undefined) [ctx.type, ctx.body] = [type, text]
    else if (ctx.path === '/settings.json') ctx.body = settings
  })
}
