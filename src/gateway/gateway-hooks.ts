import type { ServerResponse } from 'node:http'
import type { HealthCheck } from '../health/health-report.ts'
import { subjectOf } from '../host/subject.ts'
import type { ErrorResponse, ExceededLimits, ResponseHeaders } from './error-responses.ts'
import type { Principal } from './principal.ts'

/** Koa's context, or what `authenticate()` knows. */
export interface ObservedCall {
  /** The answer is not sent yet. */
  readonly res?: ServerResponse | undefined
  readonly ip?: string | undefined
}

/** Sees which calls a gateway accepts and rejects. An optional part sets it. */
export interface CallObserver {
  /** Called once for each call, however many guards it passes. `scopes`: first that of the operation; may be empty. */
  accepted(clientId: string, scopes: readonly string[], call: ObservedCall): void
  acceptedAgain(clientId: string, scopes: readonly string[]): void
  /** `scope` is that of the operation. `accepted`: the response, if an earlier guard has accepted the call. */
  rejected(rejection: ErrorResponse, scope: string | undefined, accepted: ServerResponse | undefined): void
}

export interface CountedCall {
  readonly headers: ResponseHeaders
  readonly exceeded?: ExceededLimits | undefined
}

/** An optional part sets it. */
export interface CallLimiter {
  /** Counts a call that is certainly within the limits; undefined if `count` must decide. `user` is a subject. */
  countAtOnce(clientId: string, user?: string): ResponseHeaders | undefined
  /** Never rejects. */
  count(clientId: string, user?: string): Promise<CountedCall>
}

/** Where optional parts connect to a gateway. */
export interface GatewayHooks {
  limiter: CallLimiter | undefined
  readonly checks: (() => HealthCheck)[]
  observer: CallObserver | undefined
  /** Called once when the gateway closes, before its connections are closed. They must not reject. */
  readonly closing: (() => Promise<void>)[]
}

/** Where limits and usage connect to a gateway, also when it closes. */
export function createGatewayHooks(): GatewayHooks {
  return { limiter: undefined, checks: [], observer: undefined, closing: [] }
}

/** The subject of the user; undefined for direct access. */
export function userOf(principal: Principal): string | undefined {
  // The claim `sub` is the same, but would be decoded for each token, and kept with all other claims.
  return principal.mode === 'delegated' ? subjectOf(principal) : undefined
}
