import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { html, trustedHtml, type Html } from '../../http/html.ts'
import { document } from '../../http/pages/document.ts'
import { policyOf, setHeadersBesidePolicy, setPolicy } from '../../http/security-headers.ts'
import { callHost, invalidResult } from '../../validation/host-callback.ts'
import { isText, kindOf } from '../../validation/predicates.ts'
import { ROUTES } from '../../authorization-server/provider/routes.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { findPeople } from './activity/people.ts'
import type { Assets } from './assets/assets.ts'
import type { ConsoleOptions, ConsolePage } from './console-options.ts'
import type { Mount } from './mount.ts'
import type { View } from './page-types.ts'
import type { Reader } from './reader-formats.ts'

/** A script asks for a page without a document around it. */
export const FRAGMENT_HEADER = 'X-Gatehouse-Fragment'

/** Sends a page: in the layout of the host, as a document of its own, or as a fragment without one. */
export function createResponder(
  { path, has }: Mount,
  { assets, branding, accounts, issuer }: Internals & { readonly assets: Assets },
  { layout, sameOriginFrame, homeUrl }: ConsoleOptions,
) {
  /** Beside the name of the service: the way back, who is signed in, and the way out. */
  async function account({ caller }: View, { html: text }: Reader): Promise<Html> {
    const nameOf = await findPeople(accounts, [caller])
    const signOut =
      accounts.signOut && html`<a href="${issuer + ROUTES.end_session}">${text('layoutSignOut')}</a>`
    return html`<nav>
      ${homeUrl !== undefined && html`<a href="${homeUrl}">${text('layoutHome', { service: branding.name })}</a>`}
      ${caller && nameOf(caller)} ${caller && signOut}
    </nav>`
  }

  /** @param isAlone a document of its own, even if the host has a layout */
  return async function respond(ctx: Context, view: View, texts: Reader, isAlone = false): Promise<void> {
    const { lang, dir } = texts
    const { status = 200, title, images = [], hasFrame } = view
    const needs = { images: [branding.logo, ...images], hasFrame, sameOriginFrame, noReferrer: true }
    const csp = policyOf(needs)
    const body = html`<div
      class="gatehouse"
      lang="${lang}"
      dir="${dir}"
      data-title="${title}"
      data-path="${path}"
    >
      ${view.body}
    </div>`
    const page: ConsolePage = { title, body: `${assets.tags({ path })}${body.toString()}`, csp, lang, dir }

    ctx.status = status
    setHeadersBesidePolicy(ctx, needs)
    ctx.set('Content-Language', lang)
    ctx.vary(FRAGMENT_HEADER)
    ctx.type = 'text/html; charset=utf-8'
    if (ctx.get(FRAGMENT_HEADER) !== '') return send(ctx, page.body)
    if (layout && !isAlone) return send(ctx, await inLayout(layout, ctx, page))
    setPolicy(ctx, needs)
    const content = trustedHtml(page.body)
    // Without a name of its own, the service is called like its host. A part that is mounted alone is no console.
    const isNamed = branding.name !== new URL(issuer).hostname || !has('overview')
    const own = isNamed ? branding : { ...branding, name: texts.plain('layoutTitle') }
    const around = { content, beside: await account(view, texts), className: 'gatehouse-page' }
    return send(ctx, document(own, { ...page, ...around }).toString())
  }
}

/**
 * The compressed length could reveal a new secret. For a secret in the layout, the host sets `ctx.compress = false`.
 */
async function send(ctx: Context, text: string): Promise<void> {
  ctx.body = text
  if (ctx.method === 'POST' || ctx['compress'] === false) return
  ctx.vary('Accept-Encoding')
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') return
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = await zip(text)
}

const zip = promisify(gzip)

/** @throws {GatehouseError} `ERR_HOST_CALLBACK` if `layout` returns no text */
async function inLayout(layout: NonNullable<ConsoleOptions['layout']>, ctx: Context, page: ConsolePage) {
  const written: unknown = await callHost(LAYOUT, () => layout(ctx, page))
  if (isText(written)) return written
  throw invalidResult(LAYOUT, `${kindOf(written)}; it must be the text of a document`)
}

const LAYOUT = 'createConsole(…, { layout })'
