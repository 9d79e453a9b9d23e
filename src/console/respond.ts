import type { Context } from 'koa'
import type { Branding } from '../authorization-server/interaction/pages/layout.ts'
import { html, type Html } from '../http/html.ts'
import { originSources, PAGE_HEADERS } from '../http/security-headers.ts'
import { callHost, invalidResult } from '../validation/host-callback.ts'
import { isText, kindOf } from '../validation/predicates.ts'
import type { Assets } from './assets/assets.ts'
import type { ConsoleOptions, ConsolePage, PolicyDirectives } from './console-options.ts'
import { FRAGMENT_HEADER } from './dispatch.ts'
import { document } from './document.ts'
import type { Mount } from './mount.ts'
import type { Reader } from './reader.ts'

/** What a response consists of, besides the page itself. */
export interface ResponderParts {
  readonly mount: Mount
  readonly assets: Assets
  readonly branding: Branding
  readonly options: Pick<ConsoleOptions, 'layout' | 'sameOriginFrame'>
}

/** A page that is ready to be sent. */
export interface Response {
  readonly status: number
  /** Without markup. */
  readonly title: string
  /** The page with its navigation and notices. */
  readonly body: Html
  readonly images?: readonly (string | undefined)[] | undefined
  readonly hasFrame?: boolean | undefined
  /** Whether the page is a document of its own, even if the host has a frame. @default false */
  readonly isAlone?: boolean | undefined
}

/**
 * Creates a function that writes a page: in the frame of the host, as a document of its own, or without a frame for a
 * script that asks for a fragment.
 */
export function createResponder({ mount, assets, branding, options }: ResponderParts) {
  const ancestors = options.sameOriginFrame ? `'self'` : `'none'`

  /** What a page needs in a Content Security Policy. */
  function policyOf({ images = [], hasFrame = false }: Response): PolicyDirectives {
    return {
      'style-src': [`'self'`],
      'script-src': [`'self'`],
      'connect-src': [`'self'`],
      'img-src': [`'self'`, ...originSources([branding.logo, ...images])],
      'form-action': [`'self'`],
      ...(hasFrame && { 'frame-src': [`'self'`] }),
      'frame-ancestors': [ancestors],
      'base-uri': [`'none'`],
    }
  }

  return async function respond(ctx: Context, response: Response, texts: Reader): Promise<void> {
    const { status, title } = response
    const csp = policyOf(response)
    const { lang, dir } = texts
    const body = html`<div
      class="gatehouse"
      lang="${lang}"
      dir="${dir}"
      data-title="${title}"
      data-path="${mount.path}"
    >
      ${response.body}
    </div>`
    const page: ConsolePage = { title, body: `${assets.tags(mount)}${body.toString()}`, csp, lang, dir }

    ctx.status = status
    ctx.set({ ...PAGE_HEADERS, 'Referrer-Policy': 'no-referrer', 'Content-Language': lang })
    ctx.set('X-Frame-Options', options.sameOriginFrame ? 'SAMEORIGIN' : 'DENY')
    ctx.vary(FRAGMENT_HEADER)
    ctx.type = 'text/html; charset=utf-8'
    if (ctx.get(FRAGMENT_HEADER) !== '') ctx.body = page.body
    else if (options.layout && !response.isAlone) ctx.body = await inFrame(options.layout, ctx, page)
    else {
      const directives = Object.entries(csp).map(([name, sources]) => [name, ...sources].join(' '))
      ctx.set('Content-Security-Policy', [`default-src 'none'`, ...directives].join('; '))
      ctx.body = document(page, branding)
    }
  }
}

/** @throws {GatehouseError} `ERR_HOST_CALLBACK` if the frame of the host is not a text */
async function inFrame(
  layout: NonNullable<ConsoleOptions['layout']>,
  ctx: Context,
  page: ConsolePage,
): Promise<string> {
  const text: unknown = await callHost(LAYOUT, () => layout(ctx, page))
  if (isText(text)) return text
  throw invalidResult(LAYOUT, `${kindOf(text)}; it must be the text of a document`)
}

const LAYOUT = 'gatehouse.console({ layout })'
