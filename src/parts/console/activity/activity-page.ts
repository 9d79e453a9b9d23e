import { html } from '../../../http/html.ts'
import { choiceLinks, heading } from '../elements/elements.ts'
import { page, type Page } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { auditPage, shownTrail } from './audit-table.ts'

const PATH = '/activity'

/** The audit trail of the caller's account. */
export function activityPage(services: ConsoleServices): Page {
  return page({
    path: PATH,
    section: 'activity',
    access: 'audit:read',
    async show(call) {
      const { texts, query, caller, to } = call
      const isChanges = shownTrail(call) === 'changes'
      const empty = isChanges ? 'activityEmpty' : 'activityNoFailures'
      const entries = await auditPage(call, services, {
        path: PATH,
        filter: { accountId: caller.accountId },
        empty: query['cursor'] === undefined ? empty : undefined,
      })
      return {
        title: texts.plain('navActivity'),
        body: html`${heading(texts.html('navActivity'), texts.html('activityIntro'))}
        ${choiceLinks(texts.plain('activityFilterLabel'), [
          { href: to(PATH), text: texts.html('activityChangesLink'), isCurrent: isChanges },
          {
            href: to(PATH, { trail: 'failures' }),
            text: texts.html('activityFailuresLink'),
            isCurrent: !isChanges,
          },
        ])}
        ${entries}`,
      }
    },
  })
}
