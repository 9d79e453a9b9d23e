/**
 * Wraps a service so that each call waits until gatehouse runs. So a host may create its first API key right
 * after `createGatehouse`. If the store is unavailable, or after `close()`, a call rejects with the same
 * error as `ready()`.
 *
 * @param service a service whose methods all return promises
 */
export function waitUntilReady<Service extends object>(
  service: Service,
  ready: () => Promise<unknown>,
): Service {
  const methods = Object.entries(service) as [string, (...args: unknown[]) => Promise<unknown>][]
  return Object.fromEntries(
    methods.map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await ready()
        return method.apply(service, args)
      },
    ]),
  ) as Service
}
