import type { ServerResponse } from 'node:http'
import type { ErrorResponse } from './error-responses.ts'

/** A call that was accepted: Koa's context, or what `authenticate()` knows. */
export interface ObservedCall {
  /** The response, which is not sent yet. */
  readonly res?: ServerResponse | undefined
  /** The address of the caller. */
  readonly ip?: string | undefined
}

/** Sees which calls a gateway accepts and rejects. An optional part sets it. */
export interface CallObserver {
  /**
   * The gateway accepted a call. It is called once for each call, however many guards the call passes.
   *
   * @param scope the scope of the operation; undefined for a call of a route that needs no scope
   */
  accepted(clientId: string, scope: string | undefined, call: ObservedCall): void
  /**
   * The gateway rejected a call.
   *
   * @param scope the scope of the operation, if the path of the call names one
   * @param accepted the response of the call, if an earlier guard has accepted the call
   */
  rejected(rejection: ErrorResponse, scope: string | undefined, accepted: ServerResponse | undefined): void
}

/** Where optional parts connect to a gateway. */
export interface GatewayHooks {
  /** Undefined if no part observes the calls. */
  observer: CallObserver | undefined
  /** Called once when the gateway closes, before it closes its connections. They must not reject. */
  readonly closing: (() => Promise<void>)[]
}

const hooks = new WeakMap<object, GatewayHooks>()

export function createGatewayHooks(): GatewayHooks {
  return { observer: undefined, closing: [] }
}

/** Registers what `hooksOf` returns for a gateway. The hooks stay hidden from callers of the gateway. */
export function registerHooks(gateway: object, own: GatewayHooks): void {
  hooks.set(gateway, own)
}

/** @returns undefined if the gateway is not from this library */
export function hooksOf(gateway: object): GatewayHooks | undefined {
  return hooks.get(gateway)
}
