import { html } from '../../http/html.ts'
import { page, type Page } from '../page.ts'
import type { ConsoleServices } from '../services.ts'

/** The start page: what the account has, and what to do first. */
export function overviewPage(_services: Pick<ConsoleServices, 'apiKeys' | 'applications' | 'grants'>): Page {
  return page({
    path: '/',
    section: 'overview',
    access: 'signed-in',
    async show({ texts }) {
      return { title: texts.plain('overviewTitle'), body: html`<h1>${texts.html('overviewTitle')}</h1>` }
    },
  })
}
