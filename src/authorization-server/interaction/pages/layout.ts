import { html, trustedHtml, type Html, type HtmlValue } from '../../../http/html.ts'
import type { PageBranding } from '../../../http/pages/branding.ts'
import type { PageTexts, Texts } from '../texts.ts'

/** The parts that all pages share. */
export interface Frame {
  readonly texts: PageTexts
  readonly branding: PageBranding
  readonly css: string
}

/**
 * Renders a whole page around its content. The function adds the language, the title, the name of the
 * service, and one `main` element.
 *
 * @param page.title the title of the window, without markup
 * @param page.isWide whether the page is wide, for more text
 * @param page.next the address to which the browser continues automatically
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

/** The `style` element. Its text must stay exactly as it was hashed. */
function styleElement(css: string): Html {
  return trustedHtml(`<style>${css}</style>`)
}

/**
 * The title of a window. It may begin with a label: the word for “Error” if the form has a problem, or for “Preview”. The label
 * is left out if it is not in the language of the title.
 */
export function windowTitle(
  texts: PageTexts,
  name: keyof Texts,
  {
    values,
    label,
  }: {
    values?: Readonly<Record<string, string>> | undefined
    label?: 'errorCodeLabel' | 'previewLabel' | undefined
  },
): string {
  const title = texts.plain(name, values)
  if (label === undefined || texts.langOf(label) !== texts.langOf(name)) return title
  return `${texts.plain(label)}: ${title}`
}

/**
 * The box that describes the problem of a form. The box takes the focus when the page opens, so screen
 * readers read it at once.
 */
export function alertBox(message: HtmlValue): Html {
  return html`<div class="alert" role="alert" id="problem" tabindex="-1" autofocus>${message}</div>`
}
