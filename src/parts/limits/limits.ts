import { CALL_LIMITS, type CallLimits } from '../../clients/call-limits.ts'
import { GatehouseError } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import type { GatewayHooks } from '../../gateway/gateway-hooks.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { hooksOf } from '../../gateway/registered-parts.ts'
import type { HealthCheck } from '../../health/health-report.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { pass, warn } from '../../store/check-results.ts'
import { createSlotCounters } from '../../store/slot-counters.ts'
import { isDocumentId } from '../../validation/document-id.ts'
import { checkInput, must, optional } from '../../validation/rules.ts'
import { createLimiter, type Count, type LimiterParts } from './limiter.ts'

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
  const { plainStore: store, registry, events, logger } = parts
  const defaults = limitsIn(options)
  limit(parts.gatewayHooks, {
    count: store.count?.bind(store),
    isAloneByDesign: false,
    events,
    logger,
    defaults,
    async limitsOf(clientId) {
      const client = await registry.find(clientId)
      const isOpen = client?.kind === 'application' && (client.isPublic || isDocumentId(clientId))
      const { perUser = isOpen ? SHARE_OF_USER : undefined } = options
      return { ...(client?.limits ?? defaults), perUser }
    },
  })
  return { defaults }
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
  const hooks = hooksOf(gateway)
  if (!hooks) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'limitCalls() takes a gateway of createGateway()')
  }
  const defaults = limitsIn(options)
  const limitsOf = async (clientId: string) => {
    const { perUser = isDocumentId(clientId) ? SHARE_OF_USER : undefined } = options
    return { ...defaults, perUser }
  }
  limit(hooks, { count: undefined, isAloneByDesign: true, defaults, limitsOf })
}

function limitsIn({ perMinute, perDay }: LimitsOptions): CallLimits {
  return { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
}

interface Counting extends Pick<LimiterParts, 'defaults' | 'limitsOf'> {
  /** Counts in the store; undefined if each process counts alone. */
  readonly count: Count | undefined
  readonly isAloneByDesign: boolean
  readonly events?: EventSink
  readonly logger?: Logger
}

function limit(hooks: GatewayHooks, { count, isAloneByDesign, events, logger, ...clients }: Counting): void {
  if (hooks.limiter) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'the calls of this gateway are limited already')
  }
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
      logger?.warn(
        { err: error },
        'calls are counted in this process alone, because the store cannot count them',
      )
      events?.emit('limits.stale', { error })
    } else {
      logger?.info({}, 'calls are counted together with other processes again')
      events?.emit('limits.fresh', {})
    }
  }

  const { limiter, close } = createLimiter({
    ...clients,
    count: count ?? (async (...args) => own.count(...args)),
    onCounted,
  })
  hooks.limiter = limiter
  hooks.closing.push(close)
  hooks.checks.push(check)

  function check(): HealthCheck {
    if (isAloneByDesign) return pass('limits', 'this gateway counts calls alone')
    if (!count) {
      return warn(
        'limits',
        'each process counts calls alone, because the store has no counters',
        'Use a store with the method count, or divide the limits by the number of processes',
      )
    }
    if (isFailing) {
      return warn(
        'limits',
        'this process counts calls alone, because the store cannot count them',
        'Check that the store is available, and that its user may run scripts and the command TIME',
      )
    }
    return pass('limits', 'calls are counted together with other processes')
  }
}
