import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context } from 'koa'
import { ProviderRequest } from '../../src/authorization-server/provider/run-provider.ts'

/**
 * Properties that are read although a request of Node lacks them too. `parseurl` caches the parsed address in
 * `_parsedUrl`. `content-type` accepts requests and responses, and only responses have `getHeader`.
 */
const NOT_OF_REQUESTS: ReadonlySet<string | symbol> = new Set(['_parsedUrl', 'getHeader'])

const prototype: {
  createContext: (this: Koa, request: IncomingMessage, response: ServerResponse) => Context
} = Koa.prototype
const { createContext } = prototype

/**
 * Makes Koa guard the requests that oidc-provider receives. If a property is read that `ProviderRequest` lacks,
 * the run fails. Without the guard, the property would be undefined, and no test would fail. Call this function
 * before a gatehouse is created.
 */
export function guardProviderRequests(): void {
  prototype.createContext = function (request, response) {
    return createContext.call(this, guarded(request, throwUncaught), response)
  }
}

/**
 * A request that reports each read of a missing property. Requests of other classes are returned unchanged.
 *
 * @param report receives the error
 */
export function guarded<T extends IncomingMessage | ProviderRequest>(
  request: T,
  report: (error: Error) => void,
): T {
  if (!(request instanceof ProviderRequest)) return request
  return new Proxy(request, {
    get(target, name) {
      if (!(name in target) && !NOT_OF_REQUESTS.has(name)) {
        report(new TypeError(`ProviderRequest has no property ${String(name)}`))
      }
      return Reflect.get(target, name) as unknown
    },
  })
}

/** Throws an error where no code can catch it. Koa and oidc-provider catch some of the errors of their calls. */
function throwUncaught(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
