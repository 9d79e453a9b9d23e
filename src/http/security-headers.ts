import type { Context } from 'koa'

/** What a page needs besides its own markup. */
export interface PageNeeds {
  /** Hash of its inline stylesheet as CSP writes it, without quotes: `sha256-…`. */
  readonly styleHash: string
  /** Addresses of its images. */
  readonly images?: readonly (string | undefined)[] | undefined
  /** External addresses to which submitting its form may finally lead. */
  readonly formTargets?: readonly (string | undefined)[] | undefined
}

/**
 * Sets the headers of a page: no scripts, no framing, no caching.
 *
 * `Referrer-Policy` is `same-origin`, because with `no-referrer` browsers send `Origin: null` with our own
 * forms. `Cross-Origin-Opener-Policy` is not set: it would cut off the page that opened the authorization in a
 * popup, as many applications do.
 */
export function setPageHeaders(ctx: Context, needs: PageNeeds): void {
  const sources = (addresses: PageNeeds['images']) => [...new Set((addresses ?? []).flatMap(originSource))]
  ctx.set({
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src '${needs.styleHash}'`,
      ["img-src 'self'", ...sources(needs.images)].join(' '),
      ["form-action 'self'", ...sources(needs.formTargets)].join(' '),
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  })
}

/**
 * The origin of an address as a CSP source, if it is safe to write there. A host may legally contain `;` and
 * `,`, which would begin a new directive or policy.
 */
function originSource(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address)
  return url && /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(url.origin) ? [url.origin] : []
}
