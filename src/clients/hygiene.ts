import { CorruptRecord } from '../store/corrupt-record.ts'
import { createCursors } from '../store/cursor.ts'
import { timedMember, type ListOptions } from '../store/time-index.ts'
import { PAGE_LIMIT, pageLimitRule } from '../validation/page-limit.ts'
import { checkInput, exactObjectOf, hostIdRule, oneOf, optional, stringRule } from '../validation/rules.ts'
import { createClientLists, KINDS } from './client-index.ts'
import { clientRecords } from './client-record.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { readWithLastUse } from './last-used.ts'
import { presentSecrets } from './client-secrets.ts'
import type { Client } from './client.ts'
import { createExamine, FINDINGS, type Examined, type Finding } from './hygiene-findings.ts'
import type { SecretInfo } from './stored-secrets.ts'

/** An API key or application that needs attention. */
export interface ClientFindings {
  readonly client: Client
  /** What is wrong, the most urgent first; at least one. */
  readonly findings: readonly Finding[]
  /** The valid secrets of the client, newest first. */
  readonly secrets: readonly SecretInfo[]
  /** The users who left the account and know a secret, with the finding `known-to-former`. */
  readonly knownToFormer: readonly string[]
}

/** Which clients are examined. */
export interface HygieneOptions extends ListOptions {
  /** Only clients of this account. @default the clients of all accounts */
  readonly accountId?: string | undefined
  /** Only clients of this kind. @default both kinds */
  readonly kind?: Client['kind'] | undefined
}

/** A page of clients that need attention. */
export interface HygienePage {
  /** The client with the worst finding first; of those with the same, API keys first, then the oldest. */
  readonly items: readonly ClientFindings[]
  /** Pass it as `cursor` to examine further clients. Undefined after the last client. */
  readonly cursor?: string | undefined
}

/** Finds the API keys and applications that need attention, and the products that no client has. */
export interface Hygiene {
  /**
   * Lists the clients that need attention, sorted by their worst finding. A call examines and sorts at most 500
   * API keys and 500 applications. So a page may have fewer items than `limit`, or none, although its cursor shows that
   * there are further clients. Clients that are disabled or have expired need no attention.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT`, `ERR_STORE_UNAVAILABLE`; the errors of `accounts.find`
   */
  list(options?: HygieneOptions): Promise<HygienePage>
  /**
   * The ids of the products that no API key and no application has, in the order of the catalog. The call reads
   * clients until it has found every product. If there is an unused product, it reads all clients. 100,000 clients
   * take seconds.
   *
   * @throws {GatehouseError} `ERR_STORE_UNAVAILABLE`
   */
  unusedProducts(): Promise<readonly string[]>
}

/** At the same time. The host is asked about their users. */
const BATCH = 25

/**
 * Where the next call continues: after a cursor of each kind, empty for its first client; a kind without a cursor is
 * finished. `past` is the last client of the same clients that was listed.
 */
type Place = { readonly [part in Client['kind'] | 'past']?: string | undefined }

type HygieneParts = Pick<
  ClientsDependencies,
  'store' | 'accounts' | 'catalog' | 'lastUses' | 'secretUses' | 'keyPolicy'
>

/** Lists the clients that need attention, those of a page by their worst finding, and the products that no client has. */
export function createHygiene(parts: HygieneParts) {
  const { store, catalog, lastUses, secretUses } = parts
  const records = clientRecords<Client>(store)
  const load = (clientIds: readonly string[]) => readWithLastUse(records, lastUses, clientIds)
  const index = createClientLists(store, load)

  async function present(examined: readonly Examined[]): Promise<ClientFindings[]> {
    const records = examined.map(({ record }) => record)
    const secrets = await presentSecrets(secretUses, records)
    return examined.map(({ record: { client }, ...found }, at) => {
      return { client, ...found, secrets: secrets[at] ?? [] }
    })
  }

  /** Examines a page of clients of each kind. `next` is undefined after the last page. */
  async function examineAfter(accountId: string | undefined, { past: _past, ...after }: Place) {
    const examine = createExamine(parts)
    const pages = await Promise.all(
      KINDS.filter((kind) => after[kind] !== undefined).map(async (kind) => ({
        kind,
        ...(await index.page(kind, accountId, { cursor: after[kind] || undefined, limit: PAGE_LIMIT.max })),
      })),
    )
    const records = pages.flatMap(({ items }) => items)
    const examined: Examined[] = []
    for (let at = 0; at < records.length; at += BATCH) {
      examined.push(...(await Promise.all(records.slice(at, at + BATCH).map(examine))))
    }
    const left = pages.flatMap(({ kind, cursor }) => (cursor === undefined ? [] : [[kind, cursor]]))
    const next: Place | undefined = left.length > 0 ? Object.fromEntries(left) : undefined
    return { examined, next }
  }

  return {
    async list(options: HygieneOptions = {}): Promise<HygienePage> {
      const { kind: only } = Object(options) as HygieneOptions
      const ofKinds = KINDS.filter((kind) => only === undefined || only === kind)
      const places = Object.fromEntries(['past', ...ofKinds].map((part) => [part, optional(stringRule)]))
      const cursors = createCursors<Place>(exactObjectOf(places))
      checkInput('the findings were not listed', options, {
        accountId: optional(hostIdRule),
        kind: optional(oneOf(...KINDS)),
        cursor: optional(cursors.rule('the `cursor` of the previous page of the same list')),
        limit: pageLimitRule,
      })
      const { accountId, cursor, limit = PAGE_LIMIT.byDefault } = options
      const start = cursors.read(cursor) ?? Object.fromEntries(ofKinds.map((kind) => [kind, '']))
      const { examined, next } = await examineAfter(accountId, start)
      const worstFirst = examined
        .filter(({ findings }) => findings.length > 0)
        .map((each) => [orderOf(each), each] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
      const rest = worstFirst.filter(([order]) => order > (start.past ?? ''))
      const listed = rest.slice(0, limit)
      const place = rest.length > limit ? { ...start, past: listed.at(-1)?.[0] } : next
      const items = await present(listed.map(([, each]) => each))
      return { items, cursor: place && cursors.write(place) }
    },

    async unusedProducts(): Promise<readonly string[]> {
      const unused = new Set(catalog.current.products.keys())
      for await (const { items } of createClientLists(store).pages(undefined)) {
        for (const { client } of items) for (const product of client.products) unused.delete(product)
        if (unused.size === 0) break
      }
      return [...unused]
    },

    /** The clients of an account, the oldest first, at most 500: also those that need no attention. */
    examine: (accountId: string, kind: Client['kind']) => examineAfter(accountId, { [kind]: '' }),

    /** @param accountId if given, a client of another account counts as absent, and the host is not asked */
    async ofClient(clientId: string, accountId?: string): Promise<ClientFindings | undefined> {
      const [record] = await load([clientId])
      if (record instanceof CorruptRecord) throw record.error
      if (!record || (accountId !== undefined && record.client.accountId !== accountId)) return undefined
      const [found] = await present([await createExamine(parts)(record)])
      return found
    },
  }
}

/** Sorts clients by their worst finding, then API keys before applications, then the oldest first. */
function orderOf({ record: { client, listedAt }, findings }: Examined): string {
  const weight = FINDINGS.findIndex((finding) => finding === findings[0])
  return `${weight}${KINDS.indexOf(client.kind)}${timedMember(listedAt, client.clientId)}`
}
