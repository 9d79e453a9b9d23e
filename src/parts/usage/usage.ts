import { setImmediate as nextTurn } from 'node:timers/promises'
import { isClientId } from '../../clients/client-id.ts'
import { documentOf } from '../../clients/documents/document-application.ts'
import { findDocumentIdProblem } from '../../clients/documents/document-id.ts'
import { clientIdsOf } from '../../clients/client-index.ts'
import { GatehouseError } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf, type Internals } from '../../gatehouse/internals.ts'
import {
  booleanRule,
  checkInput,
  epochSecondsRule,
  notEmpty,
  oneOf,
  optional,
} from '../../validation/rules.ts'
import { textRule, uniqueListOf, wholeNumber } from '../../validation/rules.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { createAccountUsage, listProblems } from './account-usage.ts'
import { addTops, callsIn, createCallCounts } from './call-counts.ts'
import { createLastAddresses } from './last-addresses.ts'
import { createRows, DIMENSIONS, type Dimension, type UsageRow } from './list-usage.ts'
import type { StoredDay } from './month-record.ts'
import { observeCalls } from './observe-calls.ts'
import { FURTHER_CLIENTS, FURTHER_OPERATIONS, outcomeOfTokenError, TOKEN_REQUEST } from './outcomes.ts'
import { receiveUsage } from './receive-usage.ts'
import type { ReadUsage, Usage, UsageOptions, UsageQuery } from './usage-types.ts'
import { INTERVAL_SECONDS, storePeriodically } from './store-counts.ts'
import {
  createUsageRecords,
  dayOf,
  daysBefore,
  HOUR_DAYS,
  subjectOfAccount,
  USAGE_DAYS,
  type UsageRecords,
} from './usage-records.ts'

const DAY_SECONDS = 86_400
const DEFAULT_DAYS = 30
/** With 250, reading the records of clients blocks other work for seconds. */
const AT_ONCE = 10
/** The most clients that a list names. */
const MAX_ASKED = 50

const PERIOD = { from: optional(epochSecondsRule), to: optional(epochSecondsRule) }
const SUBJECT = { clientId: optional(textRule), accountId: optional(textRule), ...PERIOD }
const QUERY = {
  ...SUBJECT,
  clientIds: optional(uniqueListOf(textRule, MAX_ASKED)),
  by: optional(notEmpty(uniqueListOf(oneOf(...DIMENSIONS)))),
}
const DEFAULT_BY = ['day', 'outcome'] as const

/**
 * Counts the API calls and token requests of this process, by client, operation and outcome, and lists what all
 * processes have counted. Call it once for each gatehouse, in every process. The last counts are stored when the
 * gatehouse closes.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, if `gatehouse` is not from
 *   `createGatehouse()`, or if its usage is counted already
 */
export function createUsage(gatehouse: AnyGatehouse, options: UsageOptions = {}): Usage {
  const parts = internalsOf(gatehouse, 'createUsage()')
  checkInput('createUsage()', options, {
    intervalSeconds: optional(wholeNumber(1, 3600)),
    hourDays: optional(wholeNumber(1, 31)),
    days: optional(wholeNumber(31, 3660)),
    keepAddresses: optional(booleanRule),
  })
  if (parts.gatewayHooks.observer) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'the usage of this gatehouse is counted already')
  }
  const { intervalSeconds = INTERVAL_SECONDS, hourDays = HOUR_DAYS, days = USAGE_DAYS } = options
  const now = parts.storeClock.now
  const plain = createUsageRecords(parts.plainStore, { days, hourDays, now, logger: parts.logger })
  const records = { ...plain, ...createAccountUsage(parts, plain) }
  const addresses = options.keepAddresses
    ? createLastAddresses(parts.plainStore, now, async (id) => {
        // An application with a metadata document may run on the computer of a user: its address is then that user's.
        return !isDocumentId(id) && Boolean(await parts.registry.find(id))
      })
    : undefined
  const counts = createCallCounts(now)
  parts.gatewayHooks.observer = observeCalls(counts, addresses)
  countTokenRequests(parts, counts)
  parts.lastUses.accountKeepers.push((accountId) => records.delete(subjectOfAccount(accountId)))
  if (addresses) parts.lastUses.addressKeepers.push(addresses.delete)
  const close = storePeriodically({
    counts,
    intervalMs: intervalSeconds * 1000,
    logger: parts.logger,
    async send(totals, isLast) {
      await Promise.all(totals.map((each) => records.write(each)))
      const merging = totals.filter(({ isFirst }) => isFirst)
      await Promise.all(merging.map(({ clientId }) => records.mergeOldDays(clientId)))
      await addresses?.store()
      if (isLast) await records.storeAccounts()
    },
  })
  parts.gatewayHooks.closing.push(close.end)

  async function read(query: Omit<UsageQuery, 'by' | 'clientIds'> = {}): Promise<ReadUsage> {
    checkInput('the usage was not read', query, SUBJECT)
    const { from, to, clientId, accountId } = checkQuery(query, { hourDays, now })
    await parts.ready()
    const subject = accountId === undefined ? clientId : subjectOfAccount(accountId)
    const isRead = clientId === undefined || isCounted(clientId)
    const found = isRead ? await records.read(subject, dayOf(from * 1000), dayOf(to * 1000)) : []
    return {
      list({ by = DEFAULT_BY } = {}) {
        checkQuery({ ...query, from, to, by }, { hourDays, now })
        const rows = createRows(by, boundsOf(by, { from, to }, query.to === undefined))
        if (accountId === undefined || !by.includes('client')) rows.add(clientId, found)
        else if (hasClientsOfAccount(by)) rows.addClients(found)
        else
          rejectList('for `client` with `hour`, `day` or `operation`, call usage.list() with the accountId')
        return rows.sorted()
      },
    }
  }

  async function list(query: UsageQuery = {}): Promise<readonly UsageRow[]> {
    const { from, to, by = DEFAULT_BY } = checkQuery(query, { hourDays, now })
    const { clientId, accountId, clientIds } = query
    if (accountId === undefined || (!clientIds && !by.includes('client'))) {
      return (await read({ clientId, accountId, from: query.from, to: query.to })).list({ by })
    }
    await parts.ready()
    const rows = createRows(by, boundsOf(by, { from, to }, query.to === undefined))
    if (hasClientsOfAccount(by)) {
      const days = await records.read(subjectOfAccount(accountId), dayOf(from * 1000), dayOf(to * 1000))
      if (rows.addClients(days, clientIds)) return rows.sorted()
    }
    const ids = (await clientIdsOf(parts.store, accountId)).filter((id) => clientIds?.includes(id) ?? true)
    await readEach(records, ids, { from, to }, rows.add)
    return rows.sorted()
  }

  async function calledOperations(clientId: string | undefined, first: string, last: string) {
    const read = await records.read(clientId, first, last)
    return new Set(read.flatMap(({ hours }) => hours.flatMap(([, operations]) => Object.keys(operations))))
  }

  return {
    keeps: { days, hourDays },
    list,
    read,

    async problemsOf(accountId, { limit = 10 } = {}) {
      checkInput('the problems were not listed', { limit }, { limit: wholeNumber(1, MAX_ASKED) })
      return listProblems(list, accountId, Math.floor(now() / 1000), limit)
    },

    async topClients(input = {}) {
      checkInput('the clients with the most calls were not listed', input, {
        ...PERIOD,
        limit: optional(wholeNumber(1, 100)),
      })
      const { from, to } = periodOf(input, now)
      await parts.ready()
      const days = await records.read(undefined, dayOf(from * 1000), dayOf(to * 1000))
      const { [FURTHER_CLIENTS]: _, ...clients } = addTops(days.map((each) => each.busiest))
      return Object.entries(clients)
        .map(([clientId, counts]) => ({ clientId, calls: callsIn(counts) }))
        .toSorted((one, other) => other.calls - one.calls)
        .slice(0, input.limit ?? 20)
    },

    async uncalledOperations(input = {}) {
      checkInput('the operations were not listed', input, {
        clientId: optional(textRule),
        days: optional(wholeNumber(1, 3660)),
      })
      await parts.ready()
      const today = dayOf(now())
      const since = daysBefore(today, input.days ?? 90)
      if (!(await records.isKnownSince(since))) return undefined
      const { clientId } = input
      const [called, all] = await Promise.all([
        calledOperations(clientId, since, today),
        clientId === undefined ? undefined : calledOperations(undefined, since, today),
      ])
      if (called.has(FURTHER_OPERATIONS) || all?.has(FURTHER_CLIENTS)) return undefined
      return [...parts.catalog.current.operations.keys()].filter((scope) => !called.has(scope))
    },

    async lastAddress(clientId) {
      await parts.ready()
      return addresses?.find(clientId)
    },

    middleware: (receiver) => receiveUsage(parts, { records, hourDays }, receiver),
    flush: close.run,
  }
}

/** Whether calls of a client with this id can have been counted. */
const isCounted = (clientId: string) =>
  isDocumentId(clientId) ? findDocumentIdProblem(clientId) === undefined : isClientId(clientId)

/** Strangers can invent documents, so a rejected request counts only if a user has approved the document. */
function countTokenRequests(
  { events, registry }: Pick<Internals, 'events' | 'registry'>,
  counts: ReturnType<typeof createCallCounts>,
) {
  events.on('token.issued', ({ clientId }) => counts.count(clientId, TOKEN_REQUEST, 'issued'))
  const isKnown = async (clientId: string | undefined) => {
    if (clientId === undefined || !isDocumentId(clientId)) return true
    const client = await registry.find(clientId)
    return client !== undefined && documentOf(client)?.isApproved === true
  }
  events.on('token.rejected', ({ clientId, error, reason }) => {
    const count = () => counts.count(clientId, TOKEN_REQUEST, outcomeOfTokenError(error, reason))
    isKnown(clientId).then((is) => is && count(), count)
  })
}

type Period = { readonly from: number; readonly to: number }

function periodOf({ from, to }: Pick<UsageQuery, 'from' | 'to'>, now: () => number): Period {
  const until = to ?? Math.floor(now() / 1000)
  const since = from ?? Math.max(0, until - DEFAULT_DAYS * DAY_SECONDS)
  if (since > until) rejectList('`from` is after `to`')
  return { from: since, to: until }
}

/** Days are whole. Without them, a list begins and ends with hours, where they are kept. */
function boundsOf(by: readonly Dimension[], { from, to }: Period, isUntilNow: boolean) {
  const endOfDay = to - (to % DAY_SECONDS) + DAY_SECONDS - 1
  if (by.includes('day')) return { from: from - (from % DAY_SECONDS), to: endOfDay }
  return { from, to: isUntilNow && !by.includes('hour') ? endOfDay : to }
}

/** The record of an account has its clients neither by time nor by operation. */
const hasClientsOfAccount = (by: readonly Dimension[]) =>
  !by.some((each) => each === 'hour' || each === 'day' || each === 'operation')

function rejectList(message: string): never {
  throw new GatehouseError('ERR_INVALID_ARGUMENT', `the usage was not listed: ${message}`)
}

function checkQuery(query: UsageQuery, { hourDays, now }: { hourDays: number; now: () => number }) {
  checkInput('the usage was not listed', query, QUERY)
  const { clientId, accountId, clientIds, by = [] } = query
  const period = periodOf(query, now)
  if (clientId !== undefined && accountId !== undefined) rejectList('pass clientId or accountId, not both')
  if (clientIds && accountId === undefined) rejectList('pass clientIds with the accountId of their account')
  if (by.includes('client') && clientId === undefined && accountId === undefined) {
    rejectList(
      '`client` in `by` needs clientId or accountId; topClients() lists the clients with the most calls',
    )
  }
  if (by.includes('hour') && dayOf(period.from * 1000) < daysBefore(dayOf(now()), hourDays)) {
    rejectList(`hours are kept for ${hourDays} days before today`)
  }
  return { ...query, ...period }
}

/** The other work of the process goes on after each client. */
async function readEach(
  records: UsageRecords,
  clientIds: readonly (string | undefined)[],
  { from, to }: Period,
  use: (clientId: string | undefined, days: readonly StoredDay[]) => void,
): Promise<void> {
  const [first, last] = [dayOf(from * 1000), dayOf(to * 1000)]
  for (let at = 0; at < clientIds.length; at += AT_ONCE) {
    const some = clientIds.slice(at, at + AT_ONCE)
    const read = await Promise.all(some.map((clientId) => records.read(clientId, first, last)))
    for (const [index, days] of read.entries()) {
      use(some[index], days)
      await nextTurn()
    }
  }
}
