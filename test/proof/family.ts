import type { EndFamily, Exchange } from './history.ts'
import type { Specification } from './linearizable.ts'

/** The successor of a rotation whose answer no client received. */
const NOT_RECEIVED = '?'

/** The tokens of one consent. A code is the first of them. */
export interface Family {
  readonly isAlive: boolean
  /** The only credential that can be exchanged for the next. */
  readonly current: string
  readonly last?: LastExchange | undefined
}

/** The exchange by which `current` came to be. */
interface LastExchange {
  readonly credential: string
  readonly isCode: boolean
  /** The moment of the exchange lies between both. `before` is null if it is not known. */
  readonly after: number
  readonly before: number | null
}

/**
 * What is promised of a family, with one state at a time (RFC 6749 4.1.2 and 10.4, RFC 9700 4.14.2):
 *
 * - Only the current credential gives a new one, and then is used.
 * - Within the grace period after its exchange, a used refresh token gives the same successor again.
 * - A code, and a refresh token after the grace period, that is used again ends the family.
 * - Nothing else ends it but a revocation. So the current credential is never rejected while the family is alive.
 *
 * A request without an answer may have been done or not: so the client cannot count on a token whose exchange it has no answer of,
 * once the grace period is over.
 *
 * @param code the code of the family
 * @param options.mayLoseCode whether a failover may have lost the code, before its exchange or afterwards. A code that is not found
 *   is rejected, and ends nothing
 * @param options.slackMs milliseconds by which the measured times may differ from those of the service
 */
export function familyPromise(
  code: string,
  options: {
    readonly graceSeconds: number
    readonly slackMs: number
    readonly mayLoseCode: boolean
  },
): Specification<Family, Exchange | EndFamily> {
  const { graceSeconds, slackMs, mayLoseCode } = options
  const graceMs = graceSeconds * 1000
  const mayRepeat = ({ isCode, before }: LastExchange, { invoke }: Exchange) =>
    !isCode && (before === null || invoke - before < graceMs + slackMs)
  const mustRepeat = ({ isCode, after }: LastExchange, { end }: Exchange) =>
    !isCode && end - after < graceMs - slackMs

  function ok(family: Family, exchange: Exchange & { readonly next: string }): Family[] {
    const { credential, next, isCode, invoke, end } = exchange
    const { isAlive, current, last } = family
    if (!isAlive) return []
    if (current === credential) {
      return [{ isAlive, current: next, last: { credential, isCode, after: invoke, before: end } }]
    }
    const isSuccessor = current === next || current === NOT_RECEIVED
    if (last?.credential !== credential || !isSuccessor || !mayRepeat(last, exchange)) return []
    return [{ ...family, current: next }]
  }

  function fail(family: Family, exchange: Exchange): Family[] {
    const { isAlive, current, last } = family
    if (!isAlive) return [family]
    if (current === exchange.credential) {
      return exchange.isCode && mayLoseCode ? [{ isAlive: false, current }] : []
    }
    if (last?.credential === exchange.credential && mustRepeat(last, exchange)) return []
    const ended = { isAlive: false, current }
    return exchange.isCode && mayLoseCode ? [family, ended] : [ended]
  }

  function unknown(family: Family, { credential, isCode, invoke }: Exchange): Family[] {
    const { isAlive, current } = family
    if (!isAlive) return [family]
    if (current !== credential) return [family, { isAlive: false, current }]
    const last = { credential, isCode, after: invoke, before: null }
    return [family, { isAlive, current: NOT_RECEIVED, last }]
  }

  return {
    initial: { isAlive: true, current: code },
    next(family, operation) {
      const ended = { isAlive: false, current: family.current }
      if (operation.kind === 'end-family') {
        if (operation.outcome === 'ok') return [ended]
        return operation.outcome === 'unknown' ? [family, ended] : [family]
      }
      if (operation.outcome === 'fail') return fail(family, operation)
      if (operation.outcome === 'unknown') return unknown(family, operation)
      return operation.next === undefined ? [] : ok(family, { ...operation, next: operation.next })
    },
  }
}
