import type { Context } from 'koa'

/** What a page needs beyond its own markup. */
export interface PageNeeds {
  /** Hash of its inline stylesheet as CSP writes it, without quotes: `sha256-…`. */
  readonly styleHash: string
  /** Addresses of its images. */
  readonly images?: readonly (string | undefined)[] | undefined
  /** Addresses elsewhere to which sending its form may lead in the end. */
  readonly formTargets?: readonly (string | undefined)[] | undefined
}

/**
 * Sets the headers of a page: nothing runs, nothing frames it, nothing caches it.
 *
 * `Referrer-Policy` is `same-origin`, because with `no-referrer` browsers send `Origin: null` along with our
 * own forms. `Cross-Origin-Opener-Policy` is left alone: it would cut off the page that opened the
 * authorization in a popup, as many applications do.
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
 * The origin of an address as a source in CSP, if it is safe to write there: a host may legally contain `;`
 * and `,`, which would begin a directive or a policy of its own.
 */
function originSource(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address)
  return url && /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(url.origin) ? [url.origin] : []
}
