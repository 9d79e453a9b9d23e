import type { Context, Middleware } from 'koa'
import { authenticateGateway } from '../../authorization-server/provider/authenticate-gateway.ts'
import { isClientId } from '../../clients/client-id.ts'
import { isDocumentId, mayBeClientId } from '../../validation/document-id.ts'
import { GatehouseError, isStoreUnavailable } from '../../errors.ts'
import type { Internals } from '../../gatehouse/internals.ts'
import { reject } from '../../http/error-response.ts'
import { answerWithMethods } from '../../http/public-document.ts'
import { readMembers } from '../../store/pages-of-index.ts'
import { readBody } from '../../http/read-body.ts'
import { pathBelow } from '../../http/request-path.ts'
import { mountPathProblem } from '../../validation/mount-path.ts'
import { parseJson } from '../../validation/parse-json.ts'
import { isCount, isDay, isObject } from '../../validation/predicates.ts'
import {
  checkInput,
  exactObjectOf,
  findProblems,
  listOf,
  mapOf,
  must,
  optional,
  type Rule,
} from '../../validation/rules.ts'
import {
  addOperations,
  MAX_OPERATIONS,
  TOP_CLIENTS,
  type CountedDay,
  type CountedHours,
  type Top,
} from './call-counts.ts'
import { FURTHER_CLIENTS, FURTHER_OPERATIONS, isOutcome, OTHER_OPERATION, OUTCOMES } from './outcomes.ts'
import { BATCH } from './store-counts.ts'
import { dayOf, daysBefore, hourRule, startOfDay, type UsageRecords } from './usage-records.ts'

/** Options of the endpoint for the usage of other gateways. */
export interface ReceiverOptions {
  /**
   * Path at which the host's app receives the requests, if a proxy changes paths. @default `/oauth2/usage` below the
   * `mountPath` of the gatehouse
   */
  readonly mountPath?: string | undefined
}

/** The path below {auth_url} to which gateways without the store send their usage. */
const USAGE_PATH = '/oauth2/usage'

/** The largest request. 100 clients with some dozens of operations each have less. */
const MAX_BYTES = 4 * 1024 * 1024
/** The largest count of one operation and outcome in one hour. */
const MAX_COUNT = 1_000_000_000
/** Each process of a gateway has a new source every six hours. */
const MAX_SOURCES = 1000
/** The clock of a gateway may be ahead by this time. */
const MAX_AHEAD_MS = 3_600_000

/**
 * Receives the totals of gateways without the store. A gateway authenticates as an API key that is marked as a resource
 * server. Its totals are stored under the id of this key, so it cannot change what others have counted.
 */
export function receiveUsage(
  parts: Internals,
  { records, hourDays }: { readonly records: UsageRecords; readonly hourDays: number },
  options: ReceiverOptions = {},
): Middleware {
  checkInput('usage.middleware()', options, { mountPath: optional(mountPathProblem) })
  const { registry, settings, plainStore: store } = parts
  const { mountPath = settings.mountPath + USAGE_PATH } = options
  parts.begin()

  /** New sources are remembered. */
  async function knownSources(clientId: string, totals: readonly Received[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>()
    for (const each of new Set(totals.map(sourceOfDay))) {
      const [day = '', source = ''] = each.split(':')
      const index = `usage-sources:${clientId}:${day}`
      const present = await readMembers(store, index, { limit: MAX_SOURCES })
      if (!present.includes(source)) {
        if (present.length === MAX_SOURCES) continue
        await store.add(index, source, (hourDays + 3) * 86_400)
      }
      known.add(each)
    }
    return known
  }

  async function answer(ctx: Context): Promise<void> {
    if (answerWithMethods(ctx, ['POST'])) return
    await parts.ready()
    const client = await authenticateGateway(parts, ctx)
    if (!client) return
    const body = await readBody(ctx.req, MAX_BYTES)
    if (!Buffer.isBuffer(body))
      return reject(ctx, body.status, 'invalid_request', 'the usage was not received')
    const time = parts.storeClock.now()
    const totals = parse(body)
    if (typeof totals === 'string') return reject(ctx, 422, 'invalid_request', totals)
    // One entry that cannot be stored does not keep the others out.
    const inTime = totals.filter(({ day }) => isInTime(day, time, hourDays))
    const sources = await knownSources(client.clientId, inTime)
    const stored = inTime.filter((each) => sources.has(sourceOfDay(each)))
    await Promise.all(stored.map((each) => storeTotals(client.clientId, each)))
    const dropped = totals.length - stored.length
    if (dropped > 0)
      parts.logger.debug({ clientId: client.clientId, dropped }, 'usage of a gateway was dropped')
    ctx.status = 204
  }

  /** The totals of a client that does not exist are dropped. */
  async function storeTotals(server: string, totals: Received): Promise<void> {
    const { clientId } = totals
    if (clientId !== undefined && !(await registry.find(clientId))) return
    const hours = JSON.stringify(withKnownOperations(totals.hours, parts.catalog.current.operations))
    const top = clientId === undefined ? await existing(totals.top ?? {}) : undefined
    await records.write({ ...totals, clientId, hours, top, source: `${server}:${totals.source}` })
    if (totals.isFirst) await records.mergeOldDays(clientId)
  }

  async function existing(top: Top): Promise<Top> {
    const found = await Promise.all(
      Object.entries(top).map(async (entry) => ((await registry.find(entry[0])) ? [entry] : [])),
    )
    return Object.fromEntries(found.flat())
  }

  return async function usage(ctx: Context, next) {
    // The path itself, with or without a slash at the end.
    if (pathBelow(ctx, mountPath) !== '/') {
      await next()
      return
    }
    ctx.set('Cache-Control', 'no-store')
    try {
      await answer(ctx)
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error
      if (!isStoreUnavailable(error)) parts.logger.error({ err: error }, 'usage could not be received')
      ctx.set('Retry-After', '10')
      reject(ctx, 503, 'temporarily_unavailable', 'the usage could not be stored')
    }
  }
}

type Received = Omit<CountedDay, 'hours'> & { readonly hours: CountedHours }

const sourceOfDay = ({ day, source }: Received) => `${day}:${source}`

function isInTime(day: string, time: number, hourDays: number): boolean {
  return day >= daysBefore(dayOf(time), hourDays) && startOfDay(day) <= time + MAX_AHEAD_MS
}

const isCountOfHour = (value: unknown) => isCount(value) && value <= MAX_COUNT
const sentCounts = bounded(
  OUTCOMES.length * 2,
  mapOf(must(`a whole number from 0 to ${MAX_COUNT}`, isCountOfHour)),
)
const isCounted = (id: unknown) => isClientId(id) || (mayBeClientId(id) && isDocumentId(id))
const isClientIdKey = (id: string) => (isCounted(id) ? undefined : 'is not a client id')

const TOTALS = bounded(
  10,
  exactObjectOf({
    day: must('a day in UTC', (day) => typeof day === 'string' && DAY.test(day) && isDay(day)),
    source: must('16 letters, digits, - and _', (value) => typeof value === 'string' && SOURCE.test(value)),
    clientId: optional(must('a client id', isCounted)),
    isFirst: must('true or false', (value) => typeof value === 'boolean'),
    hours: bounded(24, mapOf(bounded(MAX_OPERATIONS, mapOf(sentCounts)), hourRule)),
    top: optional(bounded(TOP_CLIENTS, mapOf(must('a count', isCountOfHour), isClientIdKey))),
  }),
)

const DAY = /^\d{4}-\d\d-\d\d$/
const SOURCE = /^[\w-]{16}$/

/** A huge object is not examined further. */
function bounded(max: number, rule: Rule): Rule {
  return (value) =>
    isObject(value) && Object.keys(value).length > max ? `must have at most ${max} fields` : rule(value)
}

function parse(body: Buffer): readonly Received[] | string {
  const sent = parseJson(body.toString())
  if (sent === undefined) return 'the body is not JSON'
  const list = isObject(sent) ? sent['totals'] : undefined
  if (!Array.isArray(list) || list.length > BATCH) return `totals must be a list of at most ${BATCH} entries`
  const [problem] = findProblems({ totals: list }, { totals: listOf(TOTALS) })
  return problem ? `${problem.path} ${problem.message}` : (list as Received[])
}

const OWN_NAMES = [OTHER_OPERATION, FURTHER_OPERATIONS, FURTHER_CLIENTS]

/** Adds operations that the catalog does not have to `OTHER_OPERATION`, and leaves out unknown outcomes. */
function withKnownOperations(hours: CountedHours, known: { has(scope: string): boolean }): CountedHours {
  const entries = Object.entries(hours).map(([hour, operations]) => {
    const named = Object.entries(operations).map(([operation, counts]) => ({
      [known.has(operation) || OWN_NAMES.includes(operation) ? operation : OTHER_OPERATION]:
        Object.fromEntries(Object.entries(counts).filter(([outcome]) => isOutcome(outcome))),
    }))
    const sums = Object.entries(addOperations(named)).map(([operation, counts]) => {
      const bound = Object.entries(counts).map(([outcome, count]) => [outcome, Math.min(count, MAX_COUNT)])
      return [operation, Object.fromEntries(bound)] as const
    })
    return [hour, Object.fromEntries(sums)] as const
  })
  return Object.fromEntries(entries)
}
