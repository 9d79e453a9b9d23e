/**
 * Wraps a service so that each call waits until gatehouse runs, like each request. A host may therefore create its first
 * API key right after `createGatehouse`. An unavailable store and `close()` cause the same errors as in requests.
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
