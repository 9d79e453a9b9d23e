import type { Context } from 'koa'

/** What a page needs besides its own markup. */
export interface PageNeeds {
  /** Hash of its inline stylesheet as CSP writes it, without quotes: `sha256-…`. */
  readonly styleHash: string
  /** Addresses of its images. */
  readonly images?: readonly (string | undefined)[] | undefined
  /** External addresses to which the browser may be redirected after it submits the form of the page. */
  readonly formTargets?: readonly (string | undefined)[] | undefined
  /**
   * Whether the page is only a preview. Pages of the same origin may frame it, and browsers do not send its forms.
   * @default false
   */
  readonly isPreview?: boolean | undefined
}

/**
 * Sets the headers of a page: no scripts, no framing (except for previews), no caching.
 *
 * `Referrer-Policy` is `same-origin`, because with `no-referrer` browsers send `Origin: null` with our own
 * forms, and `isFromOwnPage()` would reject that origin. `Cross-Origin-Opener-Policy` is not set, because many
 * applications open the authorization in a popup. With that header, the application's page would lose its
 * reference to the popup.
 */
export function setPageHeaders(ctx: Context, needs: PageNeeds): void {
  ctx.set({
    ...PAGE_HEADERS,
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src '${needs.styleHash}'`,
      ["img-src 'self'", ...originSources(needs.images)].join(' '),
      needs.isPreview
        ? `form-action 'none'`
        : ["form-action 'self'", ...originSources(needs.formTargets)].join(' '),
      needs.isPreview ? `frame-ancestors 'self'` : `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'X-Frame-Options': needs.isPreview ? 'SAMEORIGIN' : 'DENY',
    'Referrer-Policy': 'same-origin',
  })
}

/** The headers that all pages have. */
export const PAGE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** The origins of addresses as CSP sources, without duplicates. Addresses that are not safe in a CSP are left out. */
export function originSources(addresses: readonly (string | undefined)[] = []): string[] {
  return [...new Set(addresses.flatMap(originSource))]
}

/**
 * The origin of an address as a CSP source, if the origin is safe in a CSP. The host name of an address may
 * legally contain `;` and `,`. In a CSP these characters would begin a new directive or a new policy, so such
 * an address is left out.
 */
function originSource(address: string | undefined): string[] {
  const url = address === undefined ? null : URL.parse(address)
  return url && /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(url.origin) ? [url.origin] : []
}
