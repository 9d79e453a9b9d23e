import { html, trustedHtml } from '../http/html.ts'
import type { PageBranding } from '../http/pages/branding.ts'
import type { ConsolePage } from './console-options.ts'

/** A page of the console as a document of its own, if the host has no layout. */
export function document({ title, body, lang, dir }: ConsolePage, branding: PageBranding): string {
  return html`<!doctype html>
    <html lang="${lang}" dir="${dir}" class="gatehouse-page">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${branding.name}</title>
      </head>
      <body>
        <header class="gatehouse-service">
          ${branding.logo !== undefined && html`<img src="${branding.logo}" alt="" />`}
          <bdi>${branding.name}</bdi>
        </header>
        <main>${trustedHtml(body)}</main>
      </body>
    </html> `.toString()
}
