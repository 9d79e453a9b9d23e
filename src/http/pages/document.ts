import { html, type Html, type HtmlValue } from '../html.ts'

/** The default of the option `branding.accentColor`. */
export const DEFAULT_ACCENT_COLOR = '#1a56db'

export interface PageBranding {
  readonly name: string
  /** An `https:` address, or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /** `#rrggbb` */
  readonly accentColor: string
}

/**
 * A whole page around its content: the language, the title, the name and the logo of the service, and one `main`.
 * @param page.title without markup and without the name of the service
 */
export function document(
  branding: PageBranding,
  page: {
    readonly lang: string
    readonly dir: 'ltr' | 'rtl'
    readonly title: string
    readonly content: HtmlValue
    readonly head?: HtmlValue
    /** Beside the name of the service. */
    readonly beside?: HtmlValue
    readonly className?: string | undefined
    readonly isWide?: boolean | undefined
  },
): Html {
  const { lang, dir, title, content, head, beside, className, isWide } = page
  return html`<!doctype html>
    <html lang="${lang}" dir="${dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${branding.name}</title>
        ${head}
      </head>
      <body class="${className}">
        <header class="service">
          ${branding.logo !== undefined && html`<img src="${branding.logo}" alt="" />`}
          <bdi>${branding.name}</bdi>
          ${beside}
        </header>
        <main class="${isWide && 'wide'}">${content}</main>
      </body>
    </html> `
}
