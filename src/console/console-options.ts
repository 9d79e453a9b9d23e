import type { Context } from 'koa'
import type { Awaitable } from '../validation/host-callback.ts'
import type { ConsoleTexts } from './texts.ts'

/** The sources that a part of the console needs in a directive of a Content Security Policy. */
export type PolicyDirectives = { readonly [directive: string]: readonly string[] }

/** A page of the console, for the frame of the host. */
export interface ConsolePage {
  /** The title of the window, without markup. The host must escape it. */
  readonly title: string
  /**
   * The page as markup, with its stylesheet and script. It is safe to insert anywhere inside `body`. It has one `h1`, and no
   * `main`.
   */
  readonly body: string
  /** What the page needs in the Content Security Policy of the host, such as `{ 'script-src': ["'self'"] }`. */
  readonly csp: PolicyDirectives
  /** The language of the page (BCP 47), for the `lang` attribute. */
  readonly lang: string
  /** The writing direction of the page, for the `dir` attribute. */
  readonly dir: 'ltr' | 'rtl'
}

/** Options of the console. */
export interface ConsoleOptions {
  /**
   * Path of the console in the host's app, without a trailing slash. If koa-mount mounts the middleware, this is the path
   * of that mount. @default '/console'
   */
  readonly path?: string | undefined
  /**
   * Writes a page in the host's own frame, and returns the whole document. The Content Security Policy is then the host's;
   * `csp` says what the page needs. @default a page of its own, in `branding`, with a strict policy
   */
  readonly layout?: ((ctx: Context, page: ConsolePage) => Awaitable<string>) | undefined
  /**
   * Texts by locale; they replace ours, which are complete in English and German. The texts that a further locale lacks are
   * shown in English, and are reported to `logger` once.
   */
  readonly texts?: { readonly [locale: string]: Partial<ConsoleTexts> } | undefined
  /** The language of the reader (BCP 47), if the host knows it. @default `Accept-Language` */
  readonly locale?: ((ctx: Context) => Awaitable<string | null | undefined>) | undefined
  /** Whether pages of the same origin may show the console in a frame. @default false */
  readonly sameOriginFrame?: boolean | undefined
}

/** Options of a part of the console that is mounted alone. */
export interface ConsolePartOptions {
  /** Path of the part in the host's app, without a trailing slash. */
  readonly path: string
}
