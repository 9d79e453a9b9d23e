import { html, trustedHtml, type Html, type HtmlValue } from '../../../http/html.ts'
import { document, type PageBranding } from '../../../http/pages/document.ts'
import type { PageTexts, Texts } from '../texts.ts'

export interface Frame {
  readonly texts: PageTexts
  readonly branding: PageBranding
  readonly css: string
}

/** Renders a whole page around its content. `next` is where the browser continues by itself. */
export function layout(
  { texts, branding, css }: Frame,
  page: { title: string; content: HtmlValue; isWide?: boolean | undefined; next?: URL | undefined },
): Html {
  // The text must match its hash in the Content Security Policy.
  const style = trustedHtml(`<style>${css}</style>`)
  const head = html`${page.next && html`<meta http-equiv="refresh" content="0;url=${page.next.href}" />`}
  ${style}`
  return document(branding, { ...page, lang: texts.lang, dir: texts.dir, head })
}

/** The title of a window. The label before it is left out if its language is not that of the title. */
export function windowTitle(
  texts: PageTexts,
  name: keyof Texts,
  label: 'errorCodeLabel' | 'previewLabel' | undefined,
  values?: Readonly<Record<string, string>>,
): string {
  const title = texts.plain(name, values)
  if (label === undefined || texts.langOf(label) !== texts.langOf(name)) return title
  return `${texts.plain(label)}: ${title}`
}

/** The box takes the focus when the page opens, so screen readers read it at once. */
export function alertBox(message: HtmlValue): Html {
  return html`<div class="alert" role="alert" id="problem" tabindex="-1" autofocus>${message}</div>`
}

export function intro(title: Html, text: Html): Html {
  return html`<div class="intro">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
  </div>`
}
