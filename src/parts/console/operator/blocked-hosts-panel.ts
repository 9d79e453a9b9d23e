import type { BlockedHost } from '../../../clients/documents/document-service.ts'
import { personOfActor } from '../../../host/actor.ts'
import type { Person } from '../../../host/subject.ts'
import { html, type Html } from '../../../http/html.ts'
import type { People } from '../activity/people.ts'
import { badge, columns, panel, table } from '../elements/elements.ts'
import { form } from '../elements/form.ts'
import { ROWS_PER_PAGE } from '../elements/pager.ts'
import type { Call } from '../page-types.ts'
import { DOCUMENTS_PATH } from './client-href.ts'

const AFTER = 'after'

const blockerOf = ({ blockedBy }: BlockedHost): Person | undefined =>
  blockedBy === undefined ? undefined : personOfActor(blockedBy, undefined)

export function blockersOf(hosts: readonly BlockedHost[]): (Person | undefined)[] {
  return hosts.map(blockerOf)
}

/** The hosts that are blocked, with the buttons that unblock them. */
export function blockedHosts(call: Call, hosts: readonly BlockedHost[], people: People): Html {
  const { texts, to, query } = call
  const after = query[AFTER] ?? ''
  const rest = hosts.filter(({ host }) => host > after)
  const shown = rest.slice(0, ROWS_PER_PAGE)
  const last = rest.length > shown.length ? shown.at(-1)?.host : undefined
  const rows = shown.map((each) => {
    const { host, blockedAt, isClearing } = each
    const blocker = blockerOf(each)
    return [
      html`<bdi>${host}</bdi> ${isClearing && badge(texts.html('documentsClearing'), 'warn')}`,
      texts.ago(blockedAt),
      blocker ? people(blocker) : html`<span class="muted">${texts.html('activityNotNamed')}</span>`,
      unblockForm(call, host),
    ]
  })
  const names = ['documentsHostLabel', 'sinceLabel', 'documentsBlockedBy', 'operatorActions'] as const
  return panel(
    { title: texts.html('documentsBlockedTitle'), id: 'blocked' },
    html`${
      rows.length === 0
        ? html`<p class="muted">${texts.html('documentsBlockedNone')}</p>`
        : table(columns(call, names), rows)
    }
    ${last !== undefined && html`<p><a href="${to(DOCUMENTS_PATH, { [AFTER]: last })}#blocked">${texts.html('nextPageLink')}</a></p>`}`,
  )
}

function unblockForm(call: Call, host: string): Html {
  return form(
    call,
    { action: 'unblock', isInline: true },
    html`<input type="hidden" name="host" value="${host}" /><button class="slim">
        ${call.texts.html('documentsUnblock')}<span class="unseen"> ${host}</span>
      </button>`,
  )
}
