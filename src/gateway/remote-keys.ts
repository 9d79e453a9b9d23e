import type { FetchImplementation, JWTVerifyGetKey } from 'jose'
import { JWKSNoMatchingKey } from 'jose/errors'
import { createRemoteJWKSet, customFetch } from 'jose/jwks/remote'
import { settlesWithin } from '../async/with-timeout.ts'
import { GatehouseError } from '../errors.ts'
import type { FetchedKeys } from '../health/fetched-keys-check.ts'
import type { Logger } from '../host/logger.ts'
import { MAX_WAIT_MS } from '../keys/unknown-key-polls.ts'
import { isObject } from '../validation/predicates.ts'

/** The option `jwksCacheSeconds`. */
export const JWKS_CACHE_SECONDS = { byDefault: 600, min: 30, max: 86_400 }

const FETCH_TIMEOUT_MS = 2_000

/** A flood of unknown key ids must not burden the authorization service: see `keys/unknown-key-polls.ts` there. */
const COOLDOWN_MS = 30_000

const FAILURE_COOLDOWN_MS = 1_000

/**
 * Creates a source of keys over HTTP (RFC 7517 5). The keys are fetched at the first use, when a token names an
 * unknown key, and in the background when older than `jwksCacheSeconds`; no timer runs. The old keys stay in use
 * without a time limit, so that a restart of the authorization service does not make tokens invalid.
 */
export function remoteKeys(options: {
  readonly jwksUri: string
  readonly jwksCacheSeconds: number
  readonly logger: Logger
}) {
  const { jwksUri, logger } = options
  const cacheMs = options.jwksCacheSeconds * 1000
  const closed = new AbortController()
  let triedAt = Number.NEGATIVE_INFINITY
  let fetchedAt = Number.NEGATIVE_INFINITY
  let failure: unknown

  const keys = createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cooldownDuration: COOLDOWN_MS,
    // With a maximum age, jose would discard old keys before it has new keys.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchKeys,
  })

  async function fetchKeys(...[url, init]: Parameters<FetchImplementation>) {
    if (closed.signal.aborted) throw gatewayClosed()
    if (isWithin(triedAt, FAILURE_COOLDOWN_MS) && failure !== undefined) throw failure
    triedAt = Date.now()
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any([init.signal, closed.signal]) })
      if (response.status !== 200)
        throw notReady(undefined, `the request for the key set was answered with HTTP ${response.status}`)
      const keySet: unknown = await response.json()
      if (!hasKeys(keySet)) throw notReady(undefined, 'the answer is not a key set, or has no keys')
      if (failure !== undefined) logger.info({ jwksUri }, 'the keys of access tokens can be fetched again')
      fetchedAt = Date.now()
      failure = undefined
      return Response.json(keySet)
    } catch (error) {
      if (failure === undefined && !closed.signal.aborted) {
        const haveKeys = keys.jwks() !== undefined
        logger.warn({ err: error, jwksUri, haveKeys }, 'the keys of access tokens could not be fetched')
      }
      failure = error
      throw error
    }
  }

  function ensureFresh(): void {
    const isFresh = failure === undefined && isWithin(fetchedAt, cacheMs)
    if (!isFresh && !isWithin(triedAt, COOLDOWN_MS)) refetch()
  }

  function isKnown(kid: string | undefined): boolean {
    return kid === undefined || keys.jwks()?.keys.some((key) => key.kid === kid) === true
  }

  function refetch(): void {
    // `fetchKeys` logs the failure, and the old keys stay in use.
    keys.reload().catch(() => {})
  }

  return {
    /**
     * An unknown key may be new, so the call fetches the keys again, and waits at most a second. If the key stays
     * unknown, it rejects with `JWKSNoMatchingKey`; if no fetch has ever succeeded, with the error of the fetch.
     */
    async getKey(...[header, token]: Parameters<JWTVerifyGetKey>) {
      if (keys.jwks() === undefined) return keys(header, token)
      ensureFresh()
      if (!isKnown(header.kid) && !keys.coolingDown) await settlesWithin(keys.reload, MAX_WAIT_MS)
      if (isKnown(header.kid)) return keys(header, token)
      logger.debug({ jwksUri }, 'a token with an unknown key was rejected')
      throw new JWKSNoMatchingKey()
    },
    refetch,
    ensureFresh,
    get condition(): FetchedKeys {
      return { fetchedAt: Number.isFinite(fetchedAt) ? fetchedAt : undefined, failure }
    },
    /** @throws {GatehouseError} `ERR_NOT_READY` without keys: call again; `ERR_CLOSED` after `close()` */
    async ready(): Promise<void> {
      if (keys.jwks() !== undefined) return
      try {
        await keys.reload()
      } catch (cause) {
        throw closed.signal.aborted ? gatewayClosed() : notReady(cause)
      }
    },
    close: () => closed.abort(),
  }
}

export type RemoteKeys = ReturnType<typeof remoteKeys>

/** An empty key set must not replace keys that verify tokens. */
function hasKeys(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['keys']) && value['keys'].length > 0
}

/** If the clock was set back, the time may be in the future: false if it is `duration` milliseconds ahead. */
function isWithin(since: number, duration: number): boolean {
  return Math.abs(Date.now() - since) < duration
}

function gatewayClosed(): GatehouseError {
  return new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
}

function notReady(cause: unknown, message = 'the keys of access tokens are unavailable'): GatehouseError {
  return new GatehouseError('ERR_NOT_READY', message, { cause })
}
