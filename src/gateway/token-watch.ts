import { checkInput, functionRule, must } from '../validation/rules.ts'
import type { GatewayDependencies } from './dependencies.ts'
import type { Principal } from './principal.ts'
import { isExpired } from './verify-token.ts'

/**
 * Why a watched token is no longer valid in this process. `stale`: the gateway could not update its revocations for
 * too long, and rejects all tokens. `closed`: the gateway was closed, so it receives no more revocations.
 */
export type TokenEnd = 'expired' | 'revoked' | 'stale' | 'closed'

interface Watch {
  readonly principal: Principal
  readonly onEnd: (reason: TokenEnd) => unknown
}

/** A single long timer would fire at a wrong time if the clock jumps, or the machine sleeps. */
const CHECK_INTERVAL_MS = 1000

/** One check covers all revocations within these milliseconds. */
const COLLECT_REVOCATIONS_MS = 5

/** Watches tokens until they end. While it watches no token, it has no timer and no listener. */
export function createTokenWatch(
  { revocations, logger }: Pick<GatewayDependencies, 'revocations' | 'logger'>,
  isOwn: (value: unknown) => boolean,
) {
  const rules = {
    principal: must('the principal of a call that this gateway accepted, and not a copy of it', isOwn),
    onEnd: functionRule,
  }
  const watches = new Map<symbol, Watch>()
  let closed = false
  let stopListening: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  /** On the monotonic clock. */
  let checkAt = Infinity
  let lastCheckMs = 0

  function findEnd(principal: Principal): TokenEnd | undefined {
    if (closed) return 'closed'
    if (isExpired(principal.expiresAt, Date.now() / 1000)) return 'expired'
    if (revocations.isTokenRevoked(principal)) return 'revoked'
    return revocations.mustReject ? 'stale' : undefined
  }

  function check(): void {
    if (revocations.mustReject) void revocations.catchUp().then(checkAll)
    else checkAll()
  }

  function checkAll(): void {
    const startedAt = performance.now()
    checkAt = Infinity
    const ended: [symbol, Watch, TokenEnd][] = []
    let firstExpiry = Infinity
    for (const [id, watch] of watches) {
      const reason = findEnd(watch.principal)
      if (reason !== undefined) ended.push([id, watch, reason])
      else firstExpiry = Math.min(firstExpiry, watch.principal.expiresAt)
    }
    lastCheckMs = performance.now() - startedAt
    if (watches.size > ended.length) checkBefore(firstExpiry)
    for (const [id, { onEnd }, reason] of ended) {
      // An earlier `onEnd` may have stopped this watch.
      if (!watches.has(id)) continue
      remove(id)
      // An async function turns a thrown error into a rejection, and still starts at once.
      const call = async () => onEnd(reason)
      call().catch((err: unknown) => logger.error({ err, reason }, 'onEnd of gateway.watch() failed'))
    }
  }

  function checkBefore(expiry: number): void {
    checkWithin(Math.min(CHECK_INTERVAL_MS, expiry * 1000 - Date.now()))
  }

  function checkWithin(ms: number): void {
    const at = performance.now() + ms
    if (at >= checkAt) return
    checkAt = at
    clearTimeout(timer)
    timer = setTimeout(check, ms).unref()
  }

  function remove(id: symbol): void {
    watches.delete(id)
    if (watches.size > 0) return
    clearTimeout(timer)
    checkAt = Infinity
    stopListening?.()
    stopListening = undefined
  }

  return {
    watch(principal: Principal, onEnd: Watch['onEnd']): () => void {
      checkInput('watch()', { principal, onEnd }, rules)
      // The returned function knows only the id, so that it keeps neither the principal nor `onEnd` in memory.
      const id = Symbol('watch')
      watches.set(id, { principal, onEnd })
      // The next check waits ten times as long as the last check took: the process has other work.
      stopListening ??= revocations.onAdded(() =>
        checkWithin(Math.max(COLLECT_REVOCATIONS_MS, lastCheckMs * 10)),
      )
      if (findEnd(principal) === undefined) checkBefore(principal.expiresAt)
      else checkWithin(0)
      return () => remove(id)
    },

    /** Idempotent. */
    close(): void {
      closed = true
      checkAll()
    },
  }
}
