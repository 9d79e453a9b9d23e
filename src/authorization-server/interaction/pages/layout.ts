import { html, trustedHtml, type Html, type HtmlValue } from '../../../http/html.ts'
import type { PageTexts, Texts } from '../texts.ts'

/** How the host's service presents itself. */
export interface Branding {
  readonly name: string
  /** `https:`, or a path on the issuer's own origin. */
  readonly logo?: string | undefined
  /** `#rrggbb` */
  readonly accentColor: string
}

/** What all pages have in common. */
export interface Frame {
  readonly texts: PageTexts
  readonly branding: Branding
  readonly css: string
}

/**
 * A whole page around its content: language, title, name of the service, one `main`.
 *
 * @param page.title without markup
 * @param page.isWide for pages with more to read
 * @param page.next where the browser goes on to by itself
 */
export function layout(
  { texts, branding, css }: Frame,
  page: { title: string; content: HtmlValue; isWide?: boolean | undefined; next?: URL | undefined },
): Html {
  return html`<!doctype html>
    <html lang="${texts.lang}" dir="${texts.dir}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        ${page.next && html`<meta http-equiv="refresh" content="0;url=${page.next.href}" />`}
        <title>${page.title} · ${branding.name}</title>
        ${styleElement(css)}
      </head>
      <body>
        <header class="service">
          ${branding.logo !== undefined && html`<img src="${branding.logo}" alt="" />`}
          <bdi>${branding.name}</bdi>
        </header>
        <main class="${page.isWide && 'wide'}">${page.content}</main>
      </body>
    </html> `
}

/** The stylesheet in its element, character by character as it was hashed. */
function styleElement(css: string): Html {
  return trustedHtml(`<style>${css}</style>`)
}

/** The title of a window, which begins with a word for the problem where there is one, and that in the same language. */
export function windowTitle(
  texts: PageTexts,
  name: keyof Texts,
  {
    values,
    problem,
  }: { values?: Readonly<Record<string, string>> | undefined; problem?: keyof Texts | undefined },
): string {
  const title = texts.plain(name, values)
  const isOneLanguage = texts.langOf('errorCodeLabel') === texts.langOf(name)
  return problem === undefined || !isOneLanguage ? title : `${texts.plain('errorCodeLabel')}: ${title}`
}

/** What went wrong with a form, read out at once: it takes the focus when the page opens. */
export function alertBox(message: HtmlValue): Html {
  return html`<div class="alert" role="alert" id="problem" tabindex="-1" autofocus>${message}</div>`
}
