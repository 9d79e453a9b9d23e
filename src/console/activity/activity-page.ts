import { html } from '../../http/html.ts'
import { choiceLinks, heading } from '../elements/elements.ts'
import { PAGE_SIZE, pager } from '../elements/pager.ts'
import { page, type Page } from '../page.ts'
import type { ConsoleServices } from '../services.ts'
import { auditTable } from './entries.ts'
import { findClients } from './find-clients.ts'

/** The audit trail of the caller's account. */
export function activityPage(services: ConsoleServices): Page {
  const { audit, catalog } = services
  return page({
    path: '/activity',
    section: 'activity',
    access: 'audit:read',
    async show(call) {
      const { texts, query, caller, to } = call
      const trail = query['trail'] === 'failures' ? 'failures' : 'changes'
      const { cursor: from } = query
      const { items, cursor } = await audit.list({
        accountId: caller.accountId,
        trail,
        cursor: from,
        limit: PAGE_SIZE,
      })
      const clients = await findClients(services, items)
      const empty = trail === 'failures' ? 'activityNoFailures' : 'activityEmpty'
      return {
        title: texts.plain('navActivity'),
        body: html`${heading(texts.html('navActivity'), texts.html('activityIntro'))}
        ${choiceLinks(texts.plain('activityFilterLabel'), [
          {
            href: to('/activity'),
            text: texts.html('activityChangesLink'),
            isCurrent: trail === 'changes',
          },
          {
            href: to('/activity', { trail: 'failures' }),
            text: texts.html('activityFailuresLink'),
            isCurrent: trail === 'failures',
          },
        ])}
        ${
          items.length === 0 && from === undefined
            ? html`<div class="panel empty"><p>${texts.html(empty)}</p></div>`
            : html`<div class="panel">${auditTable(call, items, { catalog, clients })}</div>`
        }
        ${pager(call, '/activity', cursor)}`,
      }
    },
  })
}
