import type { Context } from 'koa'
import type { PolicyDirectives } from '../../http/security-headers.ts'
import type { Awaitable } from '../../validation/host-callback.ts'
import type { Usage } from '../usage/usage-types.ts'
import { english, type ConsoleTexts } from './texts.ts'
import type { Limits } from '../limits/limits.ts'
import { limitsRule, usageRule } from '../front-door/part-options.ts'
import { pageAddress } from '../../options/urls.ts'
import { localeProblem } from '../../http/locale.ts'
import { mountPathProblem } from '../../validation/mount-path.ts'
import {
  checkInput,
  booleanRule,
  exactObjectOf,
  functionRule,
  mapOf,
  optional,
  stringRule,
  type Rule,
} from '../../validation/rules.ts'

/** A page of the console, for the layout of the host. */
export interface ConsolePage {
  /** The title of the window as plain text, without the name of the service. The host must escape it. */
  readonly title: string
  /**
   * The page as safe markup, to insert anywhere inside the element `body`. It loads its own stylesheet and script. It
   * has one `h1`, and no `main`.
   */
  readonly body: string
  /**
   * What the page needs in the Content Security Policy of the host, such as `{ 'script-src': ["'self'"] }`. It differs
   * from page to page, because it names the origins of logos.
   */
  readonly csp: PolicyDirectives
  /** The language of the page (BCP 47), for the `lang` attribute. */
  readonly lang: string
  /** The writing direction of the page, for the `dir` attribute. */
  readonly dir: 'ltr' | 'rtl'
}

export const DEFAULT_PATH = '/console'

/** Options of the console. Invalid options throw `ERR_INVALID_ARGUMENT`, with all problems at once. */
export interface ConsoleOptions {
  /**
   * Path of the console as browsers see it, without a trailing slash; `''` is the root. If koa-mount mounts the
   * middleware, this is the path of that mount. @default '/console'
   */
  readonly path?: string | undefined
  /**
   * Path at which the host's app receives requests for the console, if a proxy changes paths; `''` is the root.
   * @default `path`
   */
  readonly mountPath?: string | undefined
  /**
   * Writes the whole document around a page, error pages included. The host then sets the Content Security Policy,
   * which must contain `csp` of the page. If the function throws, or returns no text, the person gets an error page
   * without the layout.
   * @default a document of its own, in the look of `createGatehouse({ branding })`, with a strict policy, the name of the
   * person who is signed in, and a link that signs out if there is `accounts.signOut`
   */
  readonly layout?: ((ctx: Context, page: ConsolePage) => Awaitable<string>) | undefined
  /**
   * Texts by locale, such as `{ fr: { navApiKeys: 'Clés API' } }`. English and German are built in, and each text here
   * replaces a built-in text. If a further locale lacks a text, the English text is shown, and the missing text is
   * reported to `logger` once.
   */
  readonly texts?: { readonly [locale: string]: Partial<ConsoleTexts> } | undefined
  /**
   * The language of the reader (BCP 47), such as `de-CH`, if the host knows it. If the function returns undefined, null
   * or an empty text, the header `Accept-Language` is used. @default `Accept-Language`
   */
  readonly locale?: ((ctx: Context) => Awaitable<string | null | undefined>) | undefined
  /** The result of `createUsage()`. The console then has pages about usage. @default the console has no such pages */
  readonly usage?: Usage | undefined
  /** The result of `createLimits()`. Operators may then set the limits of a client. @default no page shows limits */
  readonly limits?: Limits | undefined
  /**
   * Address of your app, `https:` or a path on the issuer's own origin. Without `layout`, each page links to it.
   * @default no link
   */
  readonly homeUrl?: string | undefined
  /**
   * Address of your documentation for developers, `https:` or a path on the issuer's own origin. The guides of API keys
   * and applications link to it. @default no link
   */
  readonly documentationUrl?: string | undefined
  /** Whether pages of the same origin may show the console in an `iframe`. @default false */
  readonly sameOriginFrame?: boolean | undefined
}

/**
 * Options of a part of the console that is mounted alone. Except for the paths, the options of the console apply to the
 * part too.
 */
export interface ConsolePartOptions {
  /** Path of the part as browsers see it, without a trailing slash, such as `/settings/api-keys`. */
  readonly path: string
  /**
   * Path at which the host's app receives requests for the part, if a proxy changes paths; `''` is the root.
   * @default `path`
   */
  readonly mountPath?: string | undefined
}

/** Checks the options of the console. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem */
export function checkConsoleOptions(options: unknown): void {
  checkInput('createConsole()', options, {
    path: optional(mountPathProblem),
    mountPath: optional(mountPathProblem),
    layout: optional(functionRule),
    texts: optional(mapOf(mapOf(optional(pageTextRule), nameProblem), localeProblem)),
    locale: optional(functionRule),
    sameOriginFrame: optional(booleanRule),
    homeUrl: optional(pageAddress('/')),
    documentationUrl: optional(pageAddress('/docs')),
    usage: optional(usageRule),
    limits: optional(limitsRule),
  })
}

/** Checks the options of a part. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` with every problem */
export function checkPartOptions(options: unknown): void {
  checkInput('a part of createConsole()', options, {
    path: mountPathProblem,
    mountPath: optional(mountPathProblem),
  })
}

const pluralRule = exactObjectOf({
  zero: optional(stringRule),
  one: optional(stringRule),
  two: optional(stringRule),
  few: optional(stringRule),
  many: optional(stringRule),
  other: stringRule,
})

const pageTextRule: Rule = (value) => (typeof value === 'string' ? undefined : pluralRule(value))

function nameProblem(name: string): string | undefined {
  return Object.hasOwn(english, name)
    ? undefined
    : 'is not the name of a text of the console (see ConsoleTexts)'
}
