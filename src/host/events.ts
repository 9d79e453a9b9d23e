import { GatehouseError } from '../errors.ts'

/** The events of `gatehouse.on(name, listener)`, each with the object that its listeners get. */
export interface GatehouseEvents {
  /** An access token was issued. */
  'token.issued': AccountEvent & {
    mode: 'direct' | 'delegated'
    tokenId: string
    grantId?: string | undefined
    scopes: readonly string[]
    /** Epoch seconds. */
    expiresAt: number
  }
  /**
   * The token endpoint rejected a request. `reason` says why the client gets no token for any request, such as
   * `disabled` or `expired`; `clientId` is known only if the client exists.
   */
  'token.rejected': {
    clientId?: string | undefined
    error: string
    description?: string | undefined
    reason?: string | undefined
  }
  /** A request had a wrong client secret. `clientId` is known only if the client exists. */
  'client_authentication.failed': RequesterEvent & { clientId?: string | undefined }
  /**
   * Further requests with wrong secrets from this address get 429 for a minute. One event for each client and process;
   * `client_authentication.failed` is not emitted for these requests.
   */
  'client_authentication.limited': RequesterEvent & { clientId?: string | undefined }
  /** Credentials from the built-in sign-in page were rejected. */
  'sign_in.rejected': RequesterEvent & { clientId: string }
  /**
   * A refresh token was used twice, and its family was revoked (RFC 9700 4.14.2). `afterSeconds` is the time between
   * the uses, if `refreshTokenGraceSeconds` could allow this: then the client probably refreshes in parallel.
   */
  'refresh_token.reused': GrantEvent & { afterSeconds?: number | undefined }
  /** An authorization code was used a second time, and its grant was revoked (RFC 6749 4.1.2). */
  'code.reused': GrantEvent
  /** A client sent a refresh token again within `refreshTokenGraceSeconds`, and got the same new token again. */
  'refresh_token.retried': GrantEvent
  /** A person approved the request of an application. */
  'consent.approved': GrantEvent & { scopes: readonly string[]; denied: readonly string[] }
  /** A person denied the request of an application. */
  'consent.denied': { clientId: string; accountId?: string | undefined; userId?: string | undefined }
  /**
   * The user of a grant may no longer use the operations in `scopes`. So this process revoked the access tokens that
   * carry one of these scopes. The grant stays in use.
   */
  'grant.limited': GrantEvent & { scopes: readonly string[]; actor?: string | undefined }
  /** This process revoked a grant. */
  'grant.revoked': GrantEvent & { actor?: string | undefined }
  /** This process created an API key or application. */
  'client.created': ClientEvent
  /** This process changed an API key or application. */
  'client.changed': ClientEvent & {
    /** The change: `name`, `product.added`, `operation.removed`, `secret.rotated`, `disabled`, … */
    change: string
    /** The product or scope that was changed, if there is one. */
    target?: string | undefined
  }
  /** This process deleted an API key or application. */
  'client.deleted': ClientEvent
  /** A client will expire in 30, 7 or 1 days. Only one of the processes on a store emits this event. */
  'client.expiring': ExpiryEvent & { days: 1 | 7 | 30 }
  /** A client has expired, and gets no tokens any more. Only one of the processes on a store emits this event. */
  'client.expired': ExpiryEvent
  /** The secret of a client leaked (`reportCompromised`). All secrets and tokens of the client were revoked. */
  'client.compromised': ClientEvent & {
    /** Where the secret was found, if the report says it: for example `commit`. */
    leakSource?: string | undefined
    /** The address at which the secret was found, without the secret. */
    leakUrl?: string | undefined
  }
  /**
   * `accounts.changed` found that people who have left the account know a valid secret of this client. The secret
   * stays in use: rotate it.
   */
  'secret.exposed': ClientEvent & { userIds: readonly string[] }
  /**
   * This process erased a person (`accounts.erase`). The audit trail does not contain the ids of this event. A listener
   * that stores or logs the event keeps these ids.
   */
  'account.erased': {
    accountId: string
    /** Undefined if the whole account was erased. */
    userId?: string | undefined
    /** Who requested it, if the host named the actor. */
    actor?: string | undefined
  }
  /** This process blocked a host of client metadata documents. */
  'document_host.blocked': { host: string; actor?: string | undefined }
  /** This process accepts the documents of a host again. */
  'document_host.unblocked': { host: string; actor?: string | undefined }
  /** This process revoked tokens before they expired. */
  'token.revoked': {
    /** What the revoked tokens have in common: a token id, grant, client, operation or signing key. */
    of: 'token' | 'grant' | 'client' | 'operation' | 'key'
    /** `jti`, grant id, client id, scope or `kid`. */
    id: string
    /** Who requested the revocation, if the host named the actor. */
    actor?: string | undefined
  }
  /** This process no longer receives revocations. */
  'revocations.stale': { ageSeconds: number }
  /** This process receives revocations again. */
  'revocations.fresh': { ageSeconds: number }
  /** This process cannot count API calls together with other processes, and limits them by what it counts itself. */
  'limits.stale': { error: Error }
  /** This process counts API calls together with other processes again. */
  'limits.fresh': Record<string, never>
  /** A new key was published; it is activated later. */
  'key.published': KeyEvent
  /** A key was activated, and signs new tokens from then on. */
  'key.activated': KeyEvent
  /** A key left the JWKS, because all tokens that it signed have expired. */
  'key.retired': KeyEvent
  /** A key was revoked, and all tokens that it signed are rejected. */
  'key.revoked': KeyEvent
  /** A new catalog became active in this process. */
  'catalog.reloaded': { products: number; operations: number }
  /** A new catalog was invalid or could not be loaded; the last valid catalog stays active. */
  'catalog.rejected': { error: Error }
  /** A request failed with a 5xx status because of an internal error. */
  error: { error: Error }
}

interface AccountEvent {
  clientId: string
  accountId: string
  userId?: string | undefined
}

interface RequesterEvent {
  /** The network address of the request. */
  address?: string | undefined
  /** The header `User-Agent`; at most 200 characters. */
  userAgent?: string | undefined
}

interface GrantEvent extends AccountEvent {
  grantId: string
}

interface KeyEvent {
  kid: string
  alg: 'ES256' | 'RS256'
  /** Who requested the change, if the host named the actor. */
  actor?: string | undefined
}

interface ClientEvent {
  kind: 'apiKey' | 'application'
  clientId: string
  accountId: string
  /** Who requested the change, if the host named the actor. */
  actor?: string | undefined
}

interface ExpiryEvent {
  kind: 'apiKey' | 'application'
  clientId: string
  accountId: string
  userId?: string | undefined
  /** Epoch seconds. */
  expiresAt: number
}

/** Emits events. A listener that fails never disturbs the request. */
export interface EventSink {
  /** Calls all listeners at once, and waits for none of them. */
  emit<Name extends keyof GatehouseEvents>(name: Name, event: GatehouseEvents[Name]): void
}

/** An event with its name. */
export type EventOf = {
  [Name in keyof GatehouseEvents]: readonly [name: Name, event: GatehouseEvents[Name]]
}[keyof GatehouseEvents]

/** A listener of an event. Its result is ignored, but a rejected promise is reported. */
type Listener<Name extends keyof GatehouseEvents> = (event: GatehouseEvents[Name]) => unknown

/** Subscribes to events. */
export interface EventSource<Names extends keyof GatehouseEvents = keyof GatehouseEvents> {
  /**
   * Calls `listener` at each event of that name from now on. Adding the same listener twice has no effect.
   *
   * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` if there is no such event, or if `listener` is not a
   *   function
   */
  on<Name extends Names>(name: Name, listener: Listener<Name>): void
  /** Removes a listener. */
  off<Name extends Names>(name: Name, listener: Listener<Name>): void
}

const NAMES = (
  [
    ['token.issued', 'token.rejected', 'client_authentication.failed', 'sign_in.rejected'],
    ['refresh_token.reused', 'code.reused', 'refresh_token.retried', 'consent.approved', 'consent.denied'],
    ['grant.limited', 'grant.revoked', 'client.created', 'client.changed', 'client.deleted'],
    ['client.compromised', 'token.revoked', 'revocations.stale', 'revocations.fresh', 'key.published'],
    ['account.erased', 'secret.exposed', 'client.expiring', 'client.expired', 'limits.stale', 'limits.fresh'],
    ['client_authentication.limited', 'document_host.blocked', 'document_host.unblocked'],
    ['key.activated', 'key.retired', 'key.revoked', 'catalog.reloaded', 'catalog.rejected', 'error'],
  ] as const
).flat()

/** Makes the compiler report a missing name. */
type AllNames = keyof GatehouseEvents extends (typeof NAMES)[number] ? readonly string[] : never

/** A typed emitter of the events `names`. Subscribing to any other event throws `ERR_INVALID_ARGUMENT`. */
export function createEvents(
  onListenerError: (error: unknown, event: string) => void,
  names: readonly (keyof GatehouseEvents)[] = NAMES satisfies AllNames,
): EventSink & EventSource {
  // Node's EventEmitter throws at an 'error' event without listeners, and warns of a leak at the 11th listener.
  const listeners = new Map<string, Set<(event: never) => unknown>>()

  function requireName(name: keyof GatehouseEvents): void {
    if (names.includes(name)) return
    const message = `there is no event "${name}"; the events are ${names.join(', ')}`
    throw new GatehouseError('ERR_INVALID_ARGUMENT', message)
  }

  return {
    emit(name, event) {
      // The loop runs over a copy, because a listener may add or remove listeners.
      const present = [...(listeners.get(name) ?? [])]
      for (const listener of present) {
        // An async function turns a thrown error into a rejection, and still starts at once.
        const call = async () => listener(event as never)
        call().catch((error: unknown) => onListenerError(error, name))
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
