import { hasCode, invalidArgument } from '../../../errors.ts'
import type { BlockedHost } from '../../../clients/documents/document-service.ts'
import { personOfActor } from '../../../host/actor.ts'
import type { Person } from '../../../host/subject.ts'
import { html, type Html } from '../../../http/html.ts'
import { findPeople, type People } from '../activity/people.ts'
import { badge, columns, notice, panel, table } from '../elements/elements.ts'
import { field, form, hidden } from '../elements/form.ts'
import { confirmPage } from '../elements/confirm.ts'
import { pager, ROWS_PER_PAGE } from '../elements/pager.ts'
import type { Call, Confirmation, Page, View } from '../page-types.ts'
import type { ConsoleServices } from '../services.ts'
import { DOCUMENTS_PATH as PATH } from './client-href.ts'
import { hostPanels } from './document-panels.ts'
import { operatorPage, operatorView } from './operator-page.ts'

/** Characters of the longest address that a person may paste instead of a host. */
const MAX_TYPED = 1100

/** Characters of a name of the DNS with a port. */
const MAX_HOST = 253 + 6

/** The applications with client metadata documents, by their hosts, and the hosts that are blocked. */
export function documentsPage(services: ConsoleServices): Page {
  const { clientDocuments } = services
  return operatorPage({
    path: PATH,
    section: 'clientDocuments',
    show: (call) => show(services, call),
    actions: {
      /** Reads the host that an operator typed, and asks for the confirmation. */
      askBlock: {
        freshSignIn: 'operator',
        // A redirect could lead on to the host's sign-in, against the `form-action` of the page.
        async run(call) {
          const host = requireHost(call.form.get('host'))
          return confirmPage({ ...call, query: { confirm: 'block', host } }, confirmBlock(call))
        },
      },
      block: {
        freshSignIn: 'operator',
        confirm: confirmBlock,
        async run(call) {
          await clientDocuments.block(requireHost(call.form.get('host')), call.change)
          return { redirect: PATH, done: 'doneHostBlocked' }
        },
      },
      async unblock(call) {
        const host = requireHost(call.form.get('host'))
        try {
          await clientDocuments.unblock(host, call.change)
        } catch (error) {
          // Another operator has unblocked it.
          if (hasCode(error, 'ERR_NOT_FOUND')) return { redirect: PATH }
          if (!hasCode(error, 'ERR_IN_PROGRESS')) throw error
          const busy = html`<p>${call.texts.html('documentsUnblockBusy', { host })}</p>`
          return { ...(await show(services, call, notice('warn', busy))), status: 409 }
        }
        return { redirect: PATH, done: 'doneHostUnblocked' }
      },
    },
  })
}

function confirmBlock({ query, form: sent }: Call): Confirmation {
  return {
    title: 'documentsBlockTitle',
    what: 'documentsBlockText',
    more: ['documentsBlockConnections', 'documentsBlockSubdomains'],
    button: 'documentsBlock',
    values: { host: requireHost(query['host'] ?? sent.get('host')) },
  }
}

/** From a host, or from an address that a person pasted. @throws {GatehouseError} `ERR_INVALID_ARGUMENT` */
function requireHost(text: string | null): string {
  const typed = (text ?? '').trim().slice(0, MAX_TYPED)
  const url = URL.parse(typed.includes('://') ? typed : `https://${typed}`)
  const isHost = url?.protocol === 'https:' && url.username === '' && url.password === ''
  if (isHost && url.host.length <= MAX_HOST) return url.host
  throw invalidArgument('host', { code: typed === '' ? 'empty' : 'format', message: 'must be a host' })
}

async function show(services: ConsoleServices, call: Call, message?: Html): Promise<View> {
  const { texts, to, query } = call
  const { host } = query
  const [{ items, cursor }, blocked] = await Promise.all([
    listDocuments(services, host, query['cursor']),
    services.clientDocuments.listBlocked(),
  ])
  const people = await findPeople(services.accounts, blocked.map(blockerOf))
  const title = texts.plain('documentsTitle')
  const list =
    items.length > 0
      ? hostPanels(call, items)
      : html`<div class="panel empty">
          <p>${texts.html(host === undefined ? 'documentsNone' : 'documentsNoneOfHost')}</p>
        </div>`
  return operatorView(
    { title, heading: host === undefined ? title : texts.html('documentsOf', { host }) },
    html`${message}
      <p class="muted">${texts.html('documentsIntro')}</p>
      ${host !== undefined && html`<p><a href="${to(PATH)}">${texts.html('showAllLink')}</a></p>`} ${list}
      ${pager({ texts, to, query: { host, cursor: query['cursor'] } }, PATH, cursor)}
      ${panel({ title: texts.html('documentsBlockOther') }, blockForm(call))}
      ${blockedHosts(call, blocked, people)}`,
  )
}

async function listDocuments({ clientDocuments }: ConsoleServices, host?: string, after?: string) {
  const first = host === undefined ? undefined : `https://${host}/`
  const found = await clientDocuments.list({ cursor: after ?? first, limit: ROWS_PER_PAGE })
  if (host === undefined) return found
  const items = found.items.filter((each) => each.host === host)
  return { items, cursor: items.length === found.items.length ? found.cursor : undefined }
}

export async function hasDocuments(services: ConsoleServices, host: string): Promise<boolean> {
  return (await listDocuments(services, host)).items.length > 0
}

function blockForm(call: Call): Html {
  const { texts } = call
  const host = field(call, {
    name: 'host',
    label: texts.html('documentsHostLabel'),
    hint: texts.html('documentsHostHint'),
    isRequired: true,
    maxLength: MAX_TYPED,
    autocomplete: 'off',
    isCode: true,
  })
  return form(
    call,
    { action: 'askBlock' },
    html`${host}
      <div class="buttons"><button>${texts.html('documentsBlockNext')}</button></div>`,
  )
}

const AFTER = 'after'

const blockerOf = ({ blockedBy }: BlockedHost): Person | undefined =>
  blockedBy === undefined ? undefined : personOfActor(blockedBy, undefined)

function blockedHosts(call: Call, hosts: readonly BlockedHost[], people: People): Html {
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
      blocker ? people(blocker) : html`<span class="muted">${texts.html('activityByService')}</span>`,
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
    ${last !== undefined && html`<p><a href="${to(PATH, { [AFTER]: last })}#blocked">${texts.html('nextPageLink')}</a></p>`}`,
  )
}

function unblockForm(call: Call, host: string): Html {
  return form(
    call,
    { action: 'unblock', isInline: true },
    html`${hidden('host', host)}<button class="slim">
        ${call.texts.html('documentsUnblock')}<span class="unseen"> ${host}</span>
      </button>`,
  )
}
