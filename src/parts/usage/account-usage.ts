import { inBatches } from '../../async/in-batches.ts'
import { clientIdsOf } from '../../clients/client-index.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { addOperations, addTops, columnsOf, type CountedDay, type CountedHours } from './call-counts.ts'
import { FURTHER_CLIENTS, TOKEN_REQUEST } from './outcomes.ts'
import { subjectOfAccount, type UsageRecords } from './usage-records.ts'
import type { ClientProblem, Usage } from './usage-types.ts'

/** What a source has counted of an account since it was added up. */
interface Changed {
  readonly accountId: string
  readonly source: Pick<CountedDay, 'day' | 'source'>
  readonly clientIds: Iterable<string>
}

const READ_AT_ONCE = 10

/** Stores the usage of accounts. Each source has a record of an account: what it has stored of the clients, added up. */
export function createAccountUsage(
  { registry, store, logger }: Pick<Internals, 'registry' | 'store' | 'logger'>,
  records: Pick<UsageRecords, 'ofSource' | 'write' | 'mergeOldDays' | 'delete'>,
) {
  const changed = new Map<string, Changed>()

  /** Reads what is stored, so a repeated call changes nothing, and a later one repairs what an earlier one has missed. */
  async function addUp({ accountId, source, clientIds }: Changed): Promise<void> {
    const clientId = subjectOfAccount(accountId)
    const [before] = await records.ofSource(source, [clientId])
    const present = await clientIdsOf(store, accountId)
    // The account may have been erased.
    if (present.length === 0) return
    // What a deleted client has called still counts. The record lists all clients that have called, but for the further ones.
    const listed = before?.busiest?.clients ?? []
    const isWhole = before !== undefined && !listed.includes(FURTHER_CLIENTS)
    const ids = [...new Set([...(isWhole ? clientIds : present), ...listed])]
    const found = await inBatches(ids, READ_AT_ONCE, async (id) => (await records.ofSource(source, [id]))[0])
    const rows = found.map((each, at) => each && columnsOf({ [ids[at] ?? '']: outcomesIn(each.hours) }))
    const hours = JSON.stringify(addHours(found.map((each) => each?.hours ?? {})))
    await records.write({ ...source, clientId, isFirst: true, hours, top: addTops(rows) })
    if ((await clientIdsOf(store, accountId)).length === 0) await records.delete(clientId)
    else if (!before) await records.mergeOldDays(clientId)
  }

  function keep({ accountId, source, clientIds }: Changed): void {
    const key = `${source.day}${source.source}${accountId}`
    const known = changed.get(key)?.clientIds ?? []
    changed.set(key, { accountId, source, clientIds: new Set([...known, ...clientIds]) })
  }

  return {
    /** Also remembers the account of the client. If it cannot be read, it is added up with the next counts. */
    async write(counted: CountedDay): Promise<void> {
      await records.write(counted)
      const { clientId, day, source } = counted
      // A document belongs to no account.
      if (clientId === undefined || isDocumentId(clientId)) return
      const client = await registry.find(clientId).catch(() => undefined)
      if (client) keep({ accountId: client.accountId, source: { day, source }, clientIds: [clientId] })
    },

    /** Never rejects: the counts of the clients are stored. What failed is added up again with the next counts. */
    async storeAccounts(): Promise<void> {
      const all = [...changed.values()]
      changed.clear()
      await inBatches(all, READ_AT_ONCE, async (each) =>
        addUp(each).catch((error: unknown) => {
          keep(each)
          logger.debug({ accountId: each.accountId, err: error }, 'usage of an account was not added up yet')
        }),
      )
    },
  }
}

function addHours(all: readonly CountedHours[]): CountedHours {
  const hours = new Set(all.flatMap((each) => Object.keys(each)))
  return Object.fromEntries(
    [...hours].map((hour) => [hour, addOperations(all.map((each) => each[hour] ?? {}))]),
  )
}

/** A malformed token request is `other_error`, because `invalid_request` would look like an API call. */
function outcomesIn(hours: CountedHours): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [operation, counts] of Object.values(hours).flatMap((each) => Object.entries(each))) {
    for (const [outcome, count] of Object.entries(counts)) {
      const isMalformed = operation === TOKEN_REQUEST && outcome === 'invalid_request'
      const name = isMalformed ? 'other_error' : outcome
      sums[name] = (sums[name] ?? 0) + count
    }
  }
  return sums
}

/** The implementation of `problemsOf()`. */
export async function listProblems(list: Usage['list'], accountId: string, to: number, limit: number) {
  const period = { from: to - (to % 3600) - 23 * 3600, to }
  const sums = new Map<string, number>()
  const all = await list({ accountId, ...period, by: ['client', 'result'] })
  for (const { clientId = '', result, count } of all) {
    if (result !== 'successful') sums.set(clientId, (sums.get(clientId) ?? 0) + count)
  }
  sums.delete(FURTHER_CLIENTS)
  const worst = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, limit)
  const problems = new Map<string, ClientProblem>()
  const by = ['hour', 'client', 'kind', 'result', 'outcome'] as const
  const lists = await Promise.all(worst.map(([clientId]) => list({ ...period, clientId, by })))
  for (const { at = 0, ...problem } of lists.flat().filter(({ result }) => result !== 'successful')) {
    const key = `${problem.clientId} ${problem.kind} ${problem.outcome}`
    const count = problem.count + (problems.get(key)?.count ?? 0)
    problems.set(key, { ...problem, count, lastAt: at } as ClientProblem)
  }
  return [...problems.values()].toSorted((one, other) => other.count - one.count).slice(0, limit)
}
