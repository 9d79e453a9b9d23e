import type { Context } from 'koa'

/** The sources that a page needs in a directive of a Content Security Policy. */
export type PolicyDirectives = { readonly [directive: string]: readonly string[] }

export interface PageNeeds {
  /** As CSP writes it, without quotes: `sha256-…`. Undefined if the stylesheet is a file. */
  readonly styleHash?: string | undefined
  readonly images?: readonly (string | undefined)[] | undefined
  /** Where the browser may be redirected after it submits the form of the page. */
  readonly formTargets?: readonly (string | undefined)[] | undefined
  /** Whether the page shows another page of the same origin in an `iframe`. @default false */
  readonly hasFrame?: boolean | undefined
  /** Whether pages of the same origin may frame the page. @default false */
  readonly sameOriginFrame?: boolean | undefined
  /** Pages of the same origin may frame it, and browsers do not send its forms. @default false */
  readonly isPreview?: boolean | undefined
  /** Whether browsers send the address of the page to no other page. @default false */
  readonly noReferrer?: boolean | undefined
}

const SELF = `'self'`
const NONE = `'none'`

/** The Content Security Policy of a page (frames, scripts, images, form targets), without `default-src`. */
export function policyOf(needs: PageNeeds): PolicyDirectives {
  return {
    ...(needs.styleHash === undefined
      ? { 'style-src': [SELF], 'script-src': [SELF], 'connect-src': [SELF] }
      : { 'style-src': [`'${needs.styleHash}'`] }),
    'img-src': [SELF, ...originSources(needs.images)],
    'form-action': needs.isPreview ? [NONE] : [SELF, ...originSources(needs.formTargets)],
    ...(needs.hasFrame && { 'frame-src': [SELF] }),
    'frame-ancestors': [isFramed(needs) ? SELF : NONE],
    'base-uri': [NONE],
  }
}

/**
 * Sets the headers of a page: no framing (except for previews), no caching, and only what the page needs.
 *
 * With the `Referrer-Policy` `no-referrer`, browsers would send `Origin: null` with our own forms, which
 * `isFromOwnPage()` would reject.
 */
export function setPageHeaders(ctx: Context, needs: PageNeeds): void {
  setHeadersBesidePolicy(ctx, needs)
  setPolicy(ctx, needs)
}

export function setPolicy(ctx: Context, needs: PageNeeds): void {
  const directives = Object.entries({ 'default-src': [NONE], ...policyOf(needs) })
  const policy = directives.map(([name, sources]) => [name, ...sources].join(' ')).join('; ')
  ctx.set({ 'Content-Security-Policy': policy })
}

/** Without the Content Security Policy, which the host may have set. */
export function setHeadersBesidePolicy(ctx: Context, needs: PageNeeds): void {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'X-Frame-Options': isFramed(needs) ? 'SAMEORIGIN' : 'DENY',
    'Referrer-Policy': needs.noReferrer ? 'no-referrer' : 'same-origin',
  })
}

function isFramed({ isPreview, sameOriginFrame }: PageNeeds): boolean {
  return Boolean(isPreview || sameOriginFrame)
}

function originSources(addresses: readonly (string | undefined)[] = []): string[] {
  return [...new Set(addresses.flatMap(originSource))]
}

/** A domain name in reverse order (RFC 8252 7.1). */
const PRIVATE_SCHEME = /^[a-z][a-z\d-]*(\.[a-z\d-]+)+:$/

/** A host name may contain `;` and `,`, which would begin a new directive or policy in a CSP. */
function originSource(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address)
  if (url && PRIVATE_SCHEME.test(url.protocol)) return [url.protocol]
  return url && /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(url.origin) ? [url.origin] : []
}
