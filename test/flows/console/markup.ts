import { unescapeHtml, type Page } from '../../support/browser.ts'
import type { Client } from '../../support/host-requests.ts'

/** The text of markup, as a person reads it. */
export function textOf(markup = ''): string {
  return unescapeHtml(markup.replaceAll(/<[^>]+>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The text of a field to copy. */
export function copyTextOf(page: Page, id: string): string {
  const markup = new RegExp(`<code id="${id}">([^]*?)</code\\s*>`).exec(page.body)?.[1]
  if (markup === undefined) throw new Error(`there is nothing to copy with the id “${id}”:\n${page.body}`)
  return unescapeHtml(markup)
}

/** The credentials on the page that shows a new secret. */
export function credentialsOf(page: Page): Client {
  return { client_id: copyTextOf(page, 'client-id'), client_secret: copyTextOf(page, 'client-secret') }
}

/** The panel of a page with an id, as markup. */
export function panelOf(page: Page, id: string): string {
  const panels = page.body.match(/<section\b[^]*?<\/section>/g) ?? []
  return panels.find((panel) => panel.slice(0, 200).includes(`id="${id}"`)) ?? ''
}
