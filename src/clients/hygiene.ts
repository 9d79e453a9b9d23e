import { CorruptRecord } from '../store/corrupt-record.ts'
import { createCursors } from '../store/cursor.ts'
import { cursorAfter, type ListOptions } from '../store/time-index.ts'
import { PAGE_LIMIT, pageLimitRule } from '../validation/page-limit.ts'
import { checkInput, hostIdRule, objectOf, oneOf, optional, textRule } from '../validation/rules.ts'
import { createClientLists, KINDS } from './client-index.ts'
import { clientRecords } from './client-record.ts'
import type { ClientsDependencies } from './client-repository.ts'
import { readWithLastUse } from './last-used.ts'
import { presentSecrets } from './client-secrets.ts'
import type { Client } from './client.ts'
import { createExamine, type Examined, type Finding } from './hygiene-findings.ts'
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
  /** API keys, then applications, each oldest first. */
  readonly items: readonly ClientFindings[]
  /** Pass it as `cursor` to examine further clients. Undefined after the last client. */
  readonly cursor?: string | undefined
}

/** Finds the API keys and applications that need attention, and the products that no client has. */
export interface Hygiene {
  /**
   * Lists the clients that need attention. A call examines at most 1000 clients. So a page may have fewer items than
   * `limit`, or none, although its cursor shows that there are further clients. Clients that are disabled or have
   * expired need no attention.
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

/** For one call. */
const MAX_READS = 2

/** `after` is the cursor of the clients of that kind: undefined for the first page. */
type Place = { readonly kind: Client['kind']; readonly after?: string | undefined }

type HygieneParts = Pick<
  ClientsDependencies,
  'store' | 'accounts' | 'catalog' | 'lastUses' | 'secretUses' | 'keyPolicy'
>

/** Creates the service that finds clients that need attention. */
export function createHygiene(parts: HygieneParts) {
  const { store, catalog, lastUses, secretUses } = parts
  const records = clientRecords<Client>(store)
  const load = (clientIds: readonly string[]) => readWithLastUse(records, lastUses, clientIds)
  const index = createClientLists(store, load)

  async function present(examined: readonly Examined[]): Promise<ClientFindings[]> {
    const found = examined.map(({ record }) => record)
    const secrets = await presentSecrets(secretUses, found)
    return examined.map(({ record: { client }, ...found }, at) => ({
      client,
      ...found,
      secrets: secrets[at] ?? [],
    }))
  }

  /** The last value is the place where the next call continues, if there are further clients. */
  async function* examineAfter(
    accountId: string | undefined,
    kinds: readonly Client['kind'][],
    start: string | undefined,
  ): AsyncGenerator<Examined | Place> {
    const examine = createExamine(parts)
    let after = start
    let reads = 0
    for (const kind of kinds) {
      do {
        if (reads === MAX_READS) {
          yield { kind, after }
          return
        }
        const page = await index.page(kind, accountId, { cursor: after, limit: PAGE_LIMIT.max })
        reads += 1
        for (let at = 0; at < page.items.length; at += BATCH) {
          yield* await Promise.all(page.items.slice(at, at + BATCH).map(examine))
        }
        after = page.cursor
      } while (after !== undefined)
    }
  }

  return {
    async list(options: HygieneOptions = {}): Promise<HygienePage> {
      const ofKinds = KINDS.filter((kind) => [undefined, kind].includes(Object(options).kind))
      const cursors = createCursors<Place>(objectOf({ kind: oneOf(...ofKinds), after: optional(textRule) }))
      checkInput('the findings were not listed', options, {
        accountId: optional(hostIdRule),
        kind: optional(oneOf(...KINDS)),
        cursor: optional(cursors.rule('the `cursor` of the previous page of the same list')),
        limit: pageLimitRule,
      })
      const { accountId, cursor, limit = PAGE_LIMIT.byDefault } = options
      const start = cursors.read(cursor)
      const kinds = start ? ofKinds.slice(ofKinds.indexOf(start.kind)) : ofKinds
      const found: Examined[] = []
      const pageTo = async (place: Place) => ({ items: await present(found), cursor: cursors.write(place) })
      for await (const each of examineAfter(accountId, kinds, start?.after)) {
        if (!('record' in each)) return pageTo(each)
        if (each.findings.length === 0) continue
        const last = found.at(-1)
        if (last && found.length === limit) return pageTo(placeOf(last))
        found.push(each)
      }
      return { items: await present(found) }
    },

    async unusedProducts(): Promise<readonly string[]> {
      const unused = new Set(catalog.current.products.keys())
      for await (const { items } of createClientLists(store).pages(undefined)) {
        for (const { client } of items) for (const product of client.products) unused.delete(product)
        if (unused.size === 0) break
      }
      return [...unused]
    },

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

function placeOf({ record: { client, listedAt } }: Examined): Place {
  return { kind: client.kind, after: cursorAfter(listedAt, client.clientId) }
}
