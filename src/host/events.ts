import { EventEmitter } from 'node:events'

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
  /** The token endpoint refused a request. */
  'token.refused': { clientId?: string | undefined; error: string; description?: string | undefined }
  /** A refresh token was used a second time; its family has been ended (RFC 9700 4.14.2). */
  'refresh_token.reused': { clientId: string; accountId: string; grantId: string }
  /** An authorization code was used a second time; its grant has been ended (RFC 6749 4.1.2). */
  'code.reused': { clientId: string; accountId: string; grantId: string }
  /** A person authorized an application. */
  'consent.approved': {
    clientId: string
    accountId: string
    userId?: string | undefined
    grantId: string
    scopes: readonly string[]
    refused: readonly string[]
  }
  /** A person declined to authorize an application. */
  'consent.denied': { clientId: string; accountId?: string | undefined }
  /** An API key or application was created, changed or deleted through this process. */
  'client.created': ClientChange
  'client.changed': ClientChange & {
    /** What was changed: `name`, `product.added`, `operation.removed`, `secret.rotated`, `disabled`, … */
    change: string
    /** The product or scope that it was about, where it was about one. */
    target?: string | undefined
  }
  'client.deleted': ClientChange
  /** A new catalog is in force in this process. */
  'catalog.reloaded': { products: number; operations: number }
  /** A new catalog was invalid; the last good one stays. */
  'catalog.refused': { error: Error }
  /** Our own failure that a client saw as 5xx. */
  error: { error: Error }
}

interface ClientChange {
  kind: 'apiKey' | 'application'
  clientId: string
  accountId: string
  /** Who did it, as the host named them. */
  actor?: string | undefined
}

/** What parts of gatehouse need to report events. A listener that throws never disturbs the request. */
export interface EventSink {
  emit<Name extends keyof GatehouseEvents>(name: Name, event: GatehouseEvents[Name]): void
}

/** What a host needs to hear of events. */
export interface EventSource {
  on<Name extends keyof GatehouseEvents>(name: Name, listener: (event: GatehouseEvents[Name]) => void): void
  off<Name extends keyof GatehouseEvents>(name: Name, listener: (event: GatehouseEvents[Name]) => void): void
}

/**
 * A typed event bus.
 *
 * @param onListenerError told of a listener that threw
 */
export function createEvents(
  onListenerError: (error: unknown, event: string) => void,
): EventSink & EventSource {
  // 'error' is an event like any other here: it must not throw where nobody listens.
  const emitter = new EventEmitter()
  const eventName = (name: string) => `gatehouse:${name}`
  return {
    emit(name, event) {
      for (const listener of emitter.listeners(eventName(name))) {
        try {
          listener(event)
        } catch (error) {
          onListenerError(error, name)
        }
      }
    },
    on(name, listener) {
      emitter.on(eventName(name), listener)
    },
    off(name, listener) {
      emitter.off(eventName(name), listener)
    },
  }
}
