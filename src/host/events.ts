import { GatehouseError } from '../errors.ts'

/** Everything that `gatehouse.on(name, listener)` can be asked for, with what the listener gets. */
export interface GatehouseEvents {
  /** An access token was issued, by any grant. */
  'token.issued': {
    mode: 'direct' | 'delegated'
    clientId: string
    accountId: string
    userId?: string | undefined
    tokenId: string
    grantId?: string | undefined
    scopes: readonly string[]
    /** Epoch seconds. */
    expiresAt: number
  }
  /** The token endpoint rejected a request. */
  'token.rejected': { clientId?: string | undefined; error: string; description?: string | undefined }
  /** A refresh token was used a second time; its family has been ended (RFC 9700 4.14.2). */
  'refresh_token.reused': {
    clientId: string
    accountId: string
    userId?: string | undefined
    grantId: string
  }
  /** An authorization code was used a second time; its grant has been ended (RFC 6749 4.1.2). */
  'code.reused': { clientId: string; accountId: string; userId?: string | undefined; grantId: string }
  /** A client sent a refresh token again within `refreshTokenGraceSeconds`, and got the same new one. */
  'refresh_token.retried': {
    clientId: string
    accountId: string
    userId?: string | undefined
    grantId: string
  }
  /** A person authorized an application. */
  'consent.approved': {
    clientId: string
    accountId: string
    userId?: string | undefined
    grantId: string
    scopes: readonly string[]
    denied: readonly string[]
  }
  /** A person declined to authorize an application. */
  'consent.denied': { clientId: string; accountId?: string | undefined; userId?: string | undefined }
  /** An authorization was revoked, through this process. */
  'grant.revoked': {
    grantId: string
    clientId: string
    accountId: string
    userId?: string | undefined
    actor?: string | undefined
  }
  /** An API key or application was created, changed or deleted through this process. */
  'client.created': ClientChange
  'client.changed': ClientChange & {
    /** What was changed: `name`, `product.added`, `operation.removed`, `secret.rotated`, `disabled`, … */
    change: string
    /** The product or scope that it was about, where it was about one. */
    target?: string | undefined
  }
  'client.deleted': ClientChange
  /** All secrets and tokens of a client were revoked, because its secret leaked (`reportCompromised`). */
  'client.compromised': ClientChange
  /** Tokens were revoked through this process, before they expired. */
  'token.revoked': {
    /** What they have in common: one token, a grant, a client, an operation, a signing key. */
    of: 'token' | 'grant' | 'client' | 'operation' | 'key'
    /** `jti`, grant id, client id, scope or `kid`. */
    id: string
    /** Who did it, where the host named them. */
    actor?: string | undefined
  }
  /** Revoked tokens cannot be heard of in this process at the moment. */
  'revocations.stale': { ageSeconds: number }
  /** They are heard of again. */
  'revocations.fresh': { ageSeconds: number }
  /** A key was made, and is published from now on; it signs later. */
  'key.published': KeyChange
  /** A key signs from now on. */
  'key.activated': KeyChange
  /** Everything that a key had signed has expired; it is not published any more. */
  'key.retired': KeyChange
  /** A key was taken out of service before its time. */
  'key.revoked': KeyChange
  /** A new catalog is in force in this process. */
  'catalog.reloaded': { products: number; operations: number }
  /** A new catalog was invalid; the last good one stays. */
  'catalog.rejected': { error: Error }
  /** Our own failure that a client saw as 5xx. */
  error: { error: Error }
}

interface KeyChange {
  kid: string
  alg: 'ES256' | 'RS256'
  /** Who asked for it, where somebody did. */
  actor?: string | undefined
}

interface ClientChange {
  kind: 'apiKey' | 'application'
  clientId: string
  accountId: string
  /** Who did it, as the host named them. */
  actor?: string | undefined
}

/** What parts of gatehouse need to report events. A listener that fails never disturbs the request. */
export interface EventSink {
  /** Tells all listeners at once, and waits for none. */
  emit<Name extends keyof GatehouseEvents>(name: Name, event: GatehouseEvents[Name]): void
}

/** Told of an event; what it returns is of no interest, but a promise that rejects is reported. */
type Listener<Name extends keyof GatehouseEvents> = (event: GatehouseEvents[Name]) => unknown

/** What a host needs to hear of events. */
export interface EventSource {
  /**
   * Calls `listener` at each event of that name from now on; one that is there already stays once.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if there is no such event, or if `listener` is no function
   */
  on<Name extends keyof GatehouseEvents>(name: Name, listener: Listener<Name>): void
  /** Takes a listener off again. */
  off<Name extends keyof GatehouseEvents>(name: Name, listener: Listener<Name>): void
}

/** All names; the compiler sees to it that none is missing. */
const NAMES: Record<keyof GatehouseEvents, true> = {
  'token.issued': true,
  'token.rejected': true,
  'refresh_token.reused': true,
  'code.reused': true,
  'refresh_token.retried': true,
  'consent.approved': true,
  'consent.denied': true,
  'grant.revoked': true,
  'client.created': true,
  'client.changed': true,
  'client.deleted': true,
  'client.compromised': true,
  'token.revoked': true,
  'revocations.stale': true,
  'revocations.fresh': true,
  'key.published': true,
  'key.activated': true,
  'key.retired': true,
  'key.revoked': true,
  'catalog.reloaded': true,
  'catalog.rejected': true,
  error: true,
}

/**
 * A typed event bus. To listen to an event that does not exist is `ERR_INVALID_ARGUMENT`.
 *
 * @param onListenerError told of a listener that threw or rejected
 * @param names those that are emitted here. @default all
 */
export function createEvents(
  onListenerError: (error: unknown, event: string) => void,
  names: readonly (keyof GatehouseEvents)[] = Object.keys(NAMES) as (keyof GatehouseEvents)[],
): EventSink & EventSource {
  // Not Node's emitter: it throws at an 'error' that nobody hears, and warns of a leak at the 11th listener.
  const listeners = new Map<string, Set<(event: never) => unknown>>()

  function requireName(name: keyof GatehouseEvents): void {
    if (names.includes(name)) return
    throw new GatehouseError(
      'ERR_INVALID_ARGUMENT',
      `there is no event "${name}"; the events are ${names.join(', ')}`,
    )
  }

  return {
    emit(name, event) {
      // Those who listen now, whoever comes or goes meanwhile.
      const present = [...(listeners.get(name) ?? [])]
      for (const listener of present) {
        // Begins at once, and makes one kind of failure of what it throws and what it rejects with.
        const heard = async () => listener(event as never)
        heard().catch((error: unknown) => onListenerError(error, name))
      }
    },
    on(name, listener) {
      requireName(name)
      if (typeof listener !== 'function') {
        throw new GatehouseError('ERR_INVALID_ARGUMENT', `a listener of ${name} must be a function`)
      }
      listeners.set(name, (listeners.get(name) ?? new Set()).add(listener))
    },
    off(name, listener) {
      requireName(name)
      listeners.get(name)?.delete(listener)
    },
  }
}
