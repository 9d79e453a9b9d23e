/**
 * The same service, whose calls wait until gatehouse runs, as requests do: a host may create its first API key
 * right after `createGatehouse`, and is told of a store that is away or of `close()` by the same errors.
 *
 * @param service all of whose methods answer promises
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
