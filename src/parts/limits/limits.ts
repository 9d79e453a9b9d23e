import { CALL_LIMITS, type CallLimits } from '../../clients/call-limits.ts'
import type { Client } from '../../clients/client.ts'
import { storedIdOf } from '../../clients/documents/document-id.ts'
import { GatehouseError } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf, type Internals } from '../../gatehouse/internals.ts'
import type { GatewayHooks } from '../../gateway/gateway-hooks.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { partsOf } from '../../gateway/registered-parts.ts'
import type { HealthCheck } from '../../health/health-report.ts'
import type { Logger } from '../../host/logger.ts'
import { pass, warn } from '../../store/check-results.ts'
import { createSlotCounters } from '../../store/slot-counters.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { checkInput, must, optional } from '../../validation/rules.ts'
import { createLimiter } from './limiter.ts'
import { counterKey, sumOf, WINDOWS } from './window-calls.ts'

/** Options of `createLimits()` and `limitCalls()`. */
export interface LimitsOptions extends CallLimits {
  /**
   * The share of a client's limits that one user may use, above 0 and at most 1. The share is rounded up to whole
   * calls.
   *
   * @default a quarter (0.25) for public applications and clients with a metadata document; no share of their own for
   *   the users of applications with a secret or key
   */
  readonly perUser?: number | undefined
}

const LIMITS_OPTIONS = {
  ...CALL_LIMITS,
  perUser: optional(must('above 0 and at most 1', (value) => Number(value) > 0 && Number(value) <= 1)),
}

/** Of an application without a secret, so that each of its users can call as the application. */
const SHARE_OF_USER = 0.25

/** The limits of a gatehouse, for the console and the management API. */
export interface Limits {
  /** The limits of clients without limits of their own. */
  readonly defaults: CallLimits
  /**
   * The calls of a client that the store has counted in the present windows, for each limit that the client has. The
   * newest calls of each process are missing for up to five seconds. Undefined if the store cannot say it.
   */
  callsOf(client: Pick<Client, 'clientId' | 'limits'>): Promise<CallLimits | undefined>
}

/** Milliseconds without a failed count after which calls are counted together again. */
const SETTLED_MS = 5000

/**
 * Limits the API calls of each API key and application, in all processes together. Clients may have limits of their own
 * (`apiKeys.setLimits`, `applications.setLimits`). Call it once for each gatehouse, in every process. A call beyond a
 * limit gets 429 with `Retry-After`. Each response of a limited client gets `RateLimit` and `RateLimit-Policy`, unless
 * Koa writes the response because of a thrown error. While the store is unavailable, each process counts alone.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, if `gatehouse` is not from
 *   `createGatehouse()`, or if its calls are limited already
 */
export function createLimits(gatehouse: AnyGatehouse, options: LimitsOptions = {}): Limits {
  const parts = internalsOf(gatehouse, 'createLimits()')
  checkInput('createLimits()', options, LIMITS_OPTIONS)
  return limit(parts.gatewayHooks, options, parts.logger, parts)
}

/**
 * Limits the API calls of each client at a gateway in another process. The gateway counts alone, and does not know the
 * limits that single clients have at the service.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, if `gateway` is not from `createGateway()`, or
 *   if its calls are limited already
 */
export function limitCalls(gateway: Pick<Gateway, 'close'>, options: LimitsOptions): void {
  checkInput('limitCalls()', options, LIMITS_OPTIONS)
  const parts = partsOf(gateway)
  if (!parts) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'limitCalls() takes a gateway of createGateway()')
  }
  limit(parts.hooks, options, parts.dependencies.logger)
}

const USE_COUNTERS = 'Use a store with the method count, or divide the limits by the number of processes'
const CHECK_STORE =
  'Check that the store is available, and that its user may run scripts and the command TIME'

/** @param parts undefined for a gateway without a gatehouse, which counts alone */
function limit(
  hooks: GatewayHooks,
  options: LimitsOptions,
  logger: Logger,
  parts?: Pick<Internals, 'plainStore' | 'registry' | 'events'>,
): Limits {
  if (hooks.limiter) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'the calls of this gateway are limited already')
  }
  const { perMinute, perDay } = options
  const defaults = { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
  const { plainStore: store, registry, events } = parts ?? {}
  const count = store?.count?.bind(store)
  const own = createSlotCounters()
  let isFailing = false
  let failedAt = 0

  function onCounted(error?: unknown): void {
    const hasFailed = error !== undefined
    const now = performance.now()
    if (hasFailed) failedAt = now
    // If only some counts fail, the state does not change each time.
    if (isFailing === hasFailed || (!hasFailed && now - failedAt < SETTLED_MS)) return
    isFailing = hasFailed
    if (error instanceof Error) {
      logger.warn(
        { err: error },
        'calls are counted in this process alone, because the store cannot count them',
      )
      events?.emit('limits.stale', { error })
    } else {
      logger.info({}, 'calls are counted together with other processes again')
      events?.emit('limits.fresh', {})
    }
  }

  async function limitsOf(clientId: string) {
    const client = await registry?.find(clientId)
    const isOpen = registry
      ? client?.kind === 'application' && (client.isPublic || isDocumentId(clientId))
      : isDocumentId(clientId)
    const { perUser = isOpen ? SHARE_OF_USER : undefined } = options
    return { ...(client?.limits ?? defaults), perUser }
  }

  const { limiter, close } = createLimiter({
    count: count ?? (async (...args) => own.count(...args)),
    defaults,
    limitsOf,
    onCounted,
  })
  hooks.limiter = limiter
  hooks.closing.push(close)
  hooks.checks.push(check)

  function check(): HealthCheck {
    const name = 'limits'
    if (!parts) return pass(name, 'this gateway counts calls alone')
    if (!count)
      return warn(name, 'each process counts alone, because the store has no counters', USE_COUNTERS)
    if (isFailing) return warn(name, 'this process counts alone, because the store cannot count', CHECK_STORE)
    if (store?.volatile) return pass(name, 'this process counts calls alone: the store is its memory')
    return pass(name, 'calls are counted together with other processes')
  }
  async function callsOf({ clientId, limits = defaults }: Pick<Client, 'clientId' | 'limits'>) {
    const reads = WINDOWS.filter((window) => limits[window.limit] !== undefined).map(async (window) => {
      const key = counterKey(window, storedIdOf(clientId))
      const counted = await count?.(key, 0, { ...window, claim: 0, max: 0 })
      return [window.limit, sumOf(counted?.counts ?? [])] as const
    })
    const calls = await Promise.all(reads).catch(() => undefined)
    return count && calls && Object.fromEntries(calls)
  }

  return { defaults, callsOf }
}
