import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { FetchedKeys } from '../health/fetched-keys-check.ts'
import type { Logger } from '../host/logger.ts'

/** Milliseconds without a further attempt after one that failed. */
const FAILURE_COOL_DOWN = 1_000

/** The public keys of an authorization service in another process. */
export interface RemoteKeys {
  /**
   * Finds the key of a token. Rejects with jose's `JWKSNoMatchingKey` if there is none, and with
   * {@link GatehouseError} `ERR_NOT_READY` if the keys are out of reach and only they could tell.
   */
  readonly getKey: JWTVerifyGetKey
  /** @throws {GatehouseError} `ERR_NOT_READY` if the keys are out of reach, `ERR_CLOSED` */
  ready(): Promise<void>
  /** Fetches the keys anew behind the scenes, for somebody who knows that they have changed. */
  refresh(): void
  /** The same where they are older than they should be, or could not be fetched the last time, as a call does. */
  keepFresh(): void
  /** How they are. No I/O. */
  readonly condition: FetchedKeys
  close(): Promise<void>
}

/**
 * Keys over HTTP (RFC 7517 5). They are fetched when first needed, when a token names a key that is not there
 * (which is how a new key becomes known), and every `jwksCacheSeconds` of use behind the scenes. Keys that are
 * here go on serving while the authorization service is away, however long: a token is not worth less because
 * its issuer is being restarted. No timer runs.
 *
 * @param options.jwksUri address of the key set
 * @param options.jwksCacheSeconds see `GatewayOptions` for this one and the next two
 * @param options.fetch for requests that need more than an address. @default the global `fetch`
 */
export function remoteKeys(options: {
  readonly jwksUri: string
  readonly jwksCacheSeconds: number
  readonly jwksCooldownSeconds: number
  readonly jwksTimeoutMs: number
  readonly logger: Logger
  readonly fetch?: typeof fetch | undefined
}): RemoteKeys {
  const { jwksUri, logger, fetch: send = fetch } = options
  const cacheFor = options.jwksCacheSeconds * 1000
  const coolDown = options.jwksCooldownSeconds * 1000
  const closed = new AbortController()
  let triedAt = Number.NEGATIVE_INFINITY
  let fetchedAt = Number.NEGATIVE_INFINITY
  let failure: unknown

  const keys = createRemoteJWKSet(new URL(jwksUri), {
    timeoutDuration: options.jwksTimeoutMs,
    cooldownDuration: coolDown,
    // jose would have no keys at all once they are too old; ours stay until there are newer ones.
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [customFetch]: fetchKeys,
  })

  /** All fetches come through here, jose's own too. */
  async function fetchKeys(
    url: string,
    init: { signal: AbortSignal; headers: Headers; method: 'GET'; redirect: 'manual' },
  ) {
    if (closed.signal.aborted) throw new GatehouseError('ERR_CLOSED', 'the gateway has been closed')
    if (isWithin(triedAt, FAILURE_COOL_DOWN) && failure !== undefined) throw failure
    triedAt = Date.now()
    try {
      const signal = AbortSignal.any([init.signal, closed.signal])
      const response = await send(url, { ...init, signal })
      if (response.status !== 200)
        throw outOfReach(undefined, `the key set was answered with HTTP ${response.status}`)
      const keySet: unknown = await response.json()
      if (!hasKeys(keySet)) throw outOfReach(undefined, 'the key set was answered with something else')
      if (failure !== undefined) logger.info({ jwksUri }, 'the keys of access tokens are within reach again')
      fetchedAt = Date.now()
      failure = undefined
      return Response.json(keySet)
    } catch (error) {
      if (failure === undefined && !closed.signal.aborted) {
        logger.warn(
          { err: error, jwksUri, haveKeys: keys.jwks() !== undefined },
          'the keys of access tokens could not be fetched',
        )
      }
      failure = error
      throw error
    }
  }

  async function reload(): Promise<void> {
    try {
      await keys.reload()
    } catch (cause) {
      throw outOfReach(cause)
    }
  }

  function keepFresh(): void {
    const isFresh = failure === undefined && isWithin(fetchedAt, cacheFor)
    if (isFresh || isWithin(triedAt, coolDown)) return
    refresh()
  }

  function refresh(): void {
    // Its failure is logged where it happens, and the keys stay as they are.
    reload().catch(() => {})
  }

  return {
    async getKey(header, token) {
      if (keys.jwks() !== undefined) keepFresh()
      try {
        return await keys(header, token)
      } catch (error) {
        throw error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys
          ? error
          : outOfReach(error)
      }
    },
    refresh,
    keepFresh,
    get condition() {
      return { fetchedAt: Number.isFinite(fetchedAt) ? fetchedAt : undefined, failure }
    },
    async ready() {
      if (keys.jwks() === undefined) await reload()
    },
    close() {
      closed.abort()
      return Promise.resolve()
    },
  }
}

/** An empty set is no answer either: it must not replace keys that work. */
function hasKeys(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'keys' in value &&
    Array.isArray(value.keys) &&
    value.keys.length > 0
  )
}

/** Also false when the clock was set back by more than that. */
function isWithin(since: number, duration: number): boolean {
  return Math.abs(Date.now() - since) < duration
}

function outOfReach(cause: unknown, message = 'the keys of access tokens are out of reach'): GatehouseError {
  if (cause instanceof GatehouseError && cause.code === 'ERR_CLOSED') return cause
  return new GatehouseError('ERR_NOT_READY', message, { cause })
}
