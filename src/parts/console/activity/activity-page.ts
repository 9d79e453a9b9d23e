import { html } from '../../../http/html.ts'
import { heading } from '../elements/elements.ts'
import { page, type Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { trailPage } from './audit-table.ts'

const PATH = '/activity'

/** The audit trail of the caller's account. */
export function activityPage(services: ConsoleServices): Page {
  return page({
    path: PATH,
    section: 'activity',
    access: 'audit:read',
    async show(call) {
      const { texts, caller } = call
      const entries = await trailPage(call, services, {
        path: PATH,
        filter: { accountId: caller.accountId },
        empty: 'activityEmpty',
      })
      return {
        title: texts.plain('navActivity'),
        body: html`${heading(texts.html('navActivity'), texts.html('activityIntro'))} ${entries}`,
      }
    },
  })
}
