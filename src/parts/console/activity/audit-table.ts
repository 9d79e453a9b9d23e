import type { AuditEntry } from '../../../audit/entry.ts'
import type { AuditListOptions, TrailName } from '../../../audit/check-options.ts'
import { PAGES_OF_KIND } from '../clients/client-kind.ts'
import { entryForOwner, type EntryForOwner } from '../../../audit/entry-for-owner.ts'
import type { Catalog, CurrentCatalog } from '../../../catalog/catalog.ts'
import type { Client } from '../../../clients/client.ts'
import { html, type Html, type HtmlValue } from '../../../http/html.ts'
import { applicationName, displayText, unknownClientName } from '../../../http/pages/display-text.ts'
import { badge, choiceLinks, columns, table } from '../elements/elements.ts'
import type { Call } from '../page-types.ts'
import { pager, ROWS_PER_PAGE } from '../elements/pager.ts'
import type { Reader } from '../reader-formats.ts'
import type { ConsoleServices } from '../services.ts'
import type { TextName } from '../texts.ts'
import { findClients } from '../../front-door/clients-named-in-list.ts'
import { clientHref } from '../operator/client-href.ts'
import { namesOfDeleted } from './names-of-deleted.ts'
import { findPeople, personOf, type People } from './people.ts'
import { scopeTitle } from '../scope-title.ts'
import { changedValues, reasonInWords, REMOVAL, sentenceOf } from './sentence.ts'
import { readUserAgent } from './user-agent.ts'

export interface AuditTableOptions {
  readonly catalog: CurrentCatalog
  /** By client id: the rows show their names, with links. Left out on the page of one client. */
  readonly clients?: ReadonlyMap<string, Client> | undefined
  readonly deleted?: ReadonlyMap<string, string> | undefined
  readonly people: People
  /** Operators see every name, address and user agent, and links to clients and accounts. @default false */
  readonly isForOperators?: boolean | undefined
}

interface AuditPageOptions {
  readonly path: string
  readonly filter: AuditListOptions
  /** The text if there is no entry. */
  readonly empty: TextName | undefined
  readonly isForOperators?: boolean
  /** Of one client, which the rows then do not name. */
  readonly isOfClient?: boolean
}

/** The entries that the query chooses, below links to changes and failures. */
export async function trailPage(call: Call<unknown>, services: ConsoleServices, options: AuditPageOptions) {
  const { texts, to, query } = call
  const { path, empty } = options
  const isChanges = shownTrail(call) === 'changes'
  const nothing = isChanges ? empty : 'activityNoFailures'
  return html`${choiceLinks(texts.plain('activityFilterLabel'), [
    { href: to(path), text: texts.html('activityChangesLink'), isCurrent: isChanges },
    {
      href: to(path, { trail: 'failures' }),
      text: texts.html('activityFailuresLink'),
      isCurrent: !isChanges,
    },
  ])}
  ${await auditPage(call, services, { ...options, empty: query['cursor'] === undefined ? nothing : undefined })}`
}

/** Newest first. The query of the page chooses the entries. */
export async function auditPage(call: Call<unknown>, services: ConsoleServices, options: AuditPageOptions) {
  const { texts, query } = call
  const { path, filter, empty, isForOperators, isOfClient } = options
  const { items, cursor } = await services.audit.list({
    ...filter,
    trail: shownTrail(call),
    cursor: query['cursor'],
    limit: ROWS_PER_PAGE,
  })
  const { clients, ...named } = await findNamed(services, items)
  const isEmpty = items.length === 0 && empty !== undefined
  return html`${
    isEmpty
      ? html`<div class="panel empty"><p>${texts.html(empty)}</p></div>`
      : html`<div class="panel">
          ${auditTable(call, items, { ...named, clients: isOfClient ? undefined : clients, isForOperators })}
        </div>`
  }
  ${pager(call, path, cursor)}`
}

export async function findNamed(services: ConsoleServices, entries: readonly AuditEntry[]) {
  const [clients, people] = await Promise.all([
    findClients(services, entries),
    findPeople(services.accounts, entries.map(personOf)),
  ])
  const deleted = await namesOfDeleted(services.audit, entries, clients)
  return { catalog: services.catalog, clients, deleted, people }
}

export function shownTrail({ query }: Pick<Call, 'query'>): TrailName {
  return query['trail'] === 'failures' ? 'failures' : 'changes'
}

const MAX_NAMED = 6

type Looks = Pick<Call, 'texts' | 'to' | 'has' | 'caller'>

/** The table of the audit trail. Only operators see the names of operators and of users of other accounts. */
export function auditTable(call: Looks, entries: readonly AuditEntry[], options: AuditTableOptions): Html {
  const { texts, caller } = call
  const catalog = options.catalog.current
  const shown: readonly EntryForOwner[] = options.isForOperators
    ? entries
    : entries.map((entry) => entryForOwner(entry, caller.accountId))
  return table(
    columns(call, ['usageOutcome', 'activityWho', 'activityWhen']),
    shown.map((entry) => [
      html`<div class="tight event">
        <span class="line"
          ><span>${sentenceOf(entry, texts, catalog)}</span>
          ${(entry.revokedTokens || REMOVAL.test(entry.change ?? entry.name)) && badge(texts.html('activityTakesAccess'), 'warn')}
          ${outcome(entry, texts)}</span
        >
        ${small(subject(call, entry, options))} ${changedValues(entry, texts, catalog).map(small)}
        ${details(entry, texts, catalog).map(small)}
      </div>`,
      html`<span class="origin">${who(entry, texts, options.people)}${origin(entry, texts)}</span>`,
      html`<span class="small"
        >${texts.ago(entry.at / 1000)}${hasSpan(entry) && html` – ${texts.ago(entry.until / 1000)}`}</span
      >`,
    ]),
  )
}

function small(line: HtmlValue): HtmlValue {
  return line && html`<span class="muted small">${line}</span>`
}

/** A minute is the smallest unit in which times are shown. */
function hasSpan(entry: AuditEntry): entry is AuditEntry & { readonly until: number } {
  return entry.until !== undefined && entry.until - entry.at >= 60_000
}

function outcome({ outcome: result, count }: AuditEntry, texts: Reader): HtmlValue {
  const times = count !== undefined && texts.html('activityTimes', { count })
  if (result !== 'failure') return times && badge(times)
  const failed = texts.html('activityFailed')
  return badge(times && count !== 1 ? html`${failed} · ${times}` : failed, 'bad')
}

function subject(
  { texts, to, has, caller }: Looks,
  { clientId, kind, accountId }: AuditEntry,
  { clients, deleted, isForOperators }: AuditTableOptions,
): Html | undefined {
  if (clients === undefined) return undefined
  const parts: Html[] = []
  if (clientId !== undefined) {
    const client = clients.get(clientId)
    const known = client?.kind ?? kind
    const name = client ? applicationName(client) : unknownClientName(clientId, deleted?.get(clientId))
    const { section, base } = PAGES_OF_KIND[known ?? 'application']
    const isOwn = client?.accountId === caller.accountId && has(section)
    const own = isOwn ? to(`${base}/${encodeURIComponent(clientId)}`) : undefined
    const href = isForOperators ? clientHref({ to, has }, clientId) : own
    const label = known === 'apiKey' ? 'activityApiKey' : 'applicationLabel'
    const link =
      href === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${href}"><bdi>${name}</bdi></a>`
    parts.push(known === undefined ? link : html`${texts.html(label)} ${link}`)
  }
  if (isForOperators && accountId !== undefined) {
    const href = to(`/operator/accounts/${encodeURIComponent(accountId)}`)
    parts.push(html`${texts.html('accountLabel')} <a href="${href}"><bdi>${displayText(accountId)}</bdi></a>`)
  }
  return parts.length === 0 ? undefined : html`${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}`
}

function details(entry: AuditEntry, texts: Reader, catalog: Catalog): HtmlValue[] {
  const { name, change, target = '', scopes, reason, afterSeconds } = entry
  const operations = (listName: TextName, list: readonly string[] = []) => {
    if (list.length === 0) return undefined
    const titles = list.slice(0, MAX_NAMED).map((scope) => scopeTitle(scope, texts, catalog))
    const more = list.length - titles.length
    const all = more > 0 ? [...titles, texts.plain('moreCount', { count: more })] : titles
    return texts.html(listName, { list: texts.list(all) })
  }
  const code = (label: TextName, id: string | undefined) =>
    id === undefined ? undefined : texts.html(label, { id: html`<code>${displayText(id)}</code>` })
  return [
    change === 'tokens.revoked' && target !== '' && operations('activityOperations', target.split(' ')),
    name === 'grant.limited' && operations('activityOperations', scopes),
    name.startsWith('consent.') && operations('activityAllowedOperations', scopes),
    operations('activityDeniedOperations', entry.denied),
    operations('activityAdded', entry.added),
    operations('activityRemoved', entry.removed),
    code('activityToken', entry.tokenId),
    code('activityKey', entry.keyId),
    code('activityLeakSource', entry.leakSource),
    code('activityLeakUrl', entry.leakUrl),
    afterSeconds !== undefined && texts.html('activityRefreshTwice', { seconds: afterSeconds }),
    reason !== undefined && texts.html('activityReason', { reason: reasonInWords(reason, texts) }),
  ]
}

/** Who requested the act. Without an actor, the other fields show who can have made the change. */
function who(entry: EntryForOwner, texts: Reader, people: People): Html {
  const { name, by, outcome, reason, actor, erased } = entry
  const person = personOf(entry)
  const text = (known: TextName) => html`<span class="muted whole">${texts.html(known)}</span>`
  if (erased && actor === undefined) return text('activityByErased')
  if (person) return people(person)
  if (by !== undefined) return text(by === 'user' ? 'activityByUser' : 'activityByService')
  if (reason === 'client-revoked-token' || reason === 'client-revoked-too-many-tokens')
    return text('activityByTheClient')
  if (outcome === 'failure') return text('activityByStranger')
  const isAutomatic = /^(?:key|catalog)\.|^client\.expir/.test(name) || reason !== undefined
  return text(isAutomatic ? 'activityAutomatic' : 'activityByService')
}

/** In characters: a longer address may break. */
const WHOLE = 30

function origin({ address, userAgent }: AuditEntry, texts: Reader): Html {
  const isWhole = address !== undefined && address.length <= WHOLE
  const from =
    address !== undefined &&
    html`<span class="small ${isWhole && 'whole'}" dir="ltr">${displayText(address)}</span>`
  const program =
    userAgent !== undefined &&
    html`<span class="muted small" title="${displayText(userAgent, 200)}"
      >${programOf(userAgent, texts)}</span
    >`
  return html`${from}${program}`
}

function programOf(userAgent: string, texts: Reader): HtmlValue {
  const { program, system } = readUserAgent(userAgent)
  const name = displayText(program, 40)
  return system === undefined
    ? html`<bdi>${name}</bdi>`
    : texts.html('activityAgentOn', { program: name, system })
}
