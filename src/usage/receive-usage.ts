import type { Context, Middleware } from 'koa'
import { authenticateBasicClient } from '../clients/authenticate-client.ts'
import { isClientId } from '../clients/client-id.ts'
import { GatehouseError, isStoreUnavailable } from '../errors.ts'
import type { Internals } from '../gatehouse/internals.ts'
import { answerErrorAsJson } from '../http/error-response.ts'
import { readBody } from '../http/read-body.ts'
import { pathBelow } from '../http/request-path.ts'
import { mountPathProblem } from '../validation/mount-path.ts'
import { isCount, isObject } from '../validation/predicates.ts'
import {
  checkInput,
  exactObjectOf,
  findProblems,
  listOf,
  mapOf,
  must,
  optional,
} from '../validation/rules.ts'
import type { CountedDay, CountedHours } from './call-counts.ts'
import { isOutcome, OTHER_OPERATION } from './outcomes.ts'
import { BATCH } from './store-counts.ts'
import { addOperations, dayOf, daysBefore, startOfDay, type UsageRecords } from './usage-records.ts'

/** Options of the endpoint for the usage of other gateways. */
export interface ReceiverOptions {
  /** Path at which the host's app receives the requests, if a proxy changes paths. @default the path of `{auth_url}/oauth2/usage` */
  readonly mountPath?: string | undefined
}

/** The path below {auth_url} to which gateways without the store send their usage. */
const USAGE_PATH = '/oauth2/usage'

/** The largest request. 100 clients with some dozens of operations each have less. */
const MAX_BYTES = 4 * 1024 * 1024
/** The largest count of one operation and outcome in one hour. */
const MAX_COUNT = 1_000_000_000
/** The sources of one resource server and day. Each start of a gateway's process is a new source. */
const MAX_SOURCES = 1000
/** The clock of a gateway may be ahead by this time. */
const MAX_AHEAD_MS = 3_600_000

/** @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options */
export function checkReceiverOptions(options: unknown): void {
  checkInput('usage.middleware()', options, { mountPath: optional(mountPathProblem) })
}

/**
 * Receives the totals of gateways without the store. A gateway authenticates by HTTP Basic, as an API key that is marked
 * as a resource server. Its totals are stored under the id of this key, so it cannot change what others have counted.
 */
export function receiveUsage(
  parts: Internals,
  records: Pick<UsageRecords, 'write' | 'mergeOldDays'>,
  options: ReceiverOptions & { readonly hourDays: number },
): Middleware {
  const { registry, secretUsed, issuer, plainStore: store } = parts
  const { mountPath = new URL(issuer).pathname.replace(/\/$/, '') + USAGE_PATH } = options
  const now = parts.storeClock.now
  parts.begin()

  /** Whether the sources of a resource server are within the bound. New sources are remembered. */
  async function areKnown(clientId: string, sourcesOfDay: ReadonlySet<string>): Promise<boolean> {
    for (const each of sourcesOfDay) {
      const [day = '', source = ''] = each.split(':')
      const index = `usage-sources:${clientId}:${day}`
      const known = await store.range(index, { limit: MAX_SOURCES })
      if (known.includes(source)) continue
      if (known.length === MAX_SOURCES) return false
      await store.add(index, source, (options.hourDays + 3) * 86_400)
    }
    return true
  }

  async function answer(ctx: Context): Promise<void> {
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      return reject(ctx, 405, 'invalid_request', 'usage is sent with POST')
    }
    await parts.ready()
    const client = await authenticateBasicClient({ registry, secretUsed }, ctx.get('Authorization'))
    if (!client) {
      ctx.set('WWW-Authenticate', `Basic realm="${issuer}"`)
      return reject(ctx, 401, 'invalid_client', 'send client_id and client_secret of a resource server')
    }
    if (client.kind !== 'apiKey' || !client.resourceServer) {
      return reject(ctx, 403, 'unauthorized_client', 'this API key is not marked as a resource server')
    }
    const body = await readBody(ctx.req, MAX_BYTES)
    if (!Buffer.isBuffer(body))
      return reject(ctx, body.status, 'invalid_request', 'the usage was not received')
    const time = now()
    const totals = parse(body, { time, hourDays: options.hourDays })
    if (typeof totals === 'string') return reject(ctx, 422, 'invalid_request', totals)
    if (!(await areKnown(client.clientId, new Set(totals.map(({ day, source }) => `${day}:${source}`))))) {
      return reject(ctx, 429, 'invalid_request', 'this resource server has too many sources today')
    }
    await Promise.all(totals.map((each) => storeTotals(client.clientId, each, time)))
    ctx.status = 204
  }

  /** Stores the totals of one client. The totals of a client that does not exist are dropped. */
  async function storeTotals(server: string, totals: Received, time: number): Promise<void> {
    const { clientId } = totals
    if (clientId !== undefined && !(await registry.find(clientId))) return
    const hours = JSON.stringify(withKnownOperations(totals.hours, parts.catalog.current.operations))
    await records.write({ ...totals, clientId, hours, source: `${server}:${totals.source}` }, time)
    if (totals.isFirst) await records.mergeOldDays(clientId, time)
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

function reject(ctx: Context, status: number, error: string, description: string): void {
  answerErrorAsJson(ctx, { status, error, description })
}

/** The totals of a client as a gateway sends them. */
type Received = Omit<CountedDay, 'hours'> & { readonly hours: CountedHours }

const isCountOfHour = (value: unknown) => isCount(value) && value <= MAX_COUNT
const sentCounts = mapOf(must(`a whole number from 0 to ${MAX_COUNT}`, isCountOfHour))
const isHour = (hour: string) => (/^(1?\d|2[0-3])$/.test(hour) ? undefined : 'is not an hour')

function parse(
  body: Buffer,
  { time, hourDays }: { readonly time: number; readonly hourDays: number },
): readonly Received[] | string {
  let sent: unknown
  try {
    sent = JSON.parse(body.toString())
  } catch {
    return 'the body is not JSON'
  }
  const oldest = daysBefore(dayOf(time), hourDays)
  const isDayInTime = (day: unknown) =>
    typeof day === 'string' &&
    /^\d{4}-\d\d-\d\d$/.test(day) &&
    day >= oldest &&
    startOfDay(day) <= time + MAX_AHEAD_MS
  const totals = exactObjectOf({
    day: must(`a day from ${oldest} to today (UTC)`, isDayInTime),
    source: must('16 letters, digits, - and _', (value) => /^[\w-]{16}$/.test(String(value))),
    clientId: optional(must('a client id', isClientId)),
    isFirst: must('true or false', (value) => typeof value === 'boolean'),
    hours: mapOf(mapOf(sentCounts), isHour),
    top: optional(
      mapOf(must('a count', isCountOfHour), (id) => (isClientId(id) ? undefined : 'is no client id')),
    ),
  })
  if (!isObject(sent)) return 'the body is not an object'
  const list = sent['totals']
  if (!Array.isArray(list) || list.length > BATCH) return `totals must be a list of at most ${BATCH} entries`
  const [problem] = findProblems(sent, { totals: listOf(totals) })
  return problem ? `${problem.path} ${problem.message}` : (list as Received[])
}

/** Adds operations that the catalog does not have to `OTHER_OPERATION`, and leaves out unknown outcomes. */
function withKnownOperations(hours: CountedHours, known: { has(scope: string): boolean }): CountedHours {
  const entries = Object.entries(hours).map(([hour, operations]) => {
    const named = Object.entries(operations).map(([operation, counts]) => ({
      [known.has(operation) ? operation : OTHER_OPERATION]: Object.fromEntries(
        Object.entries(counts).filter(([outcome]) => isOutcome(outcome)),
      ),
    }))
    return [hour, addOperations(named)] as const
  })
  return Object.fromEntries(entries)
}
