import type { Store } from 'koa-gatehouse'

/** Everything that a store has, by the key or the name of the index. */
export type Dump = ReadonlyMap<
  string,
  { readonly texts: readonly string[]; readonly ttl: number | undefined }
>

/**
 * Wraps a store so that a test can read everything that was written through the wrapper and is still in the store. Several
 * processes share `names` if they pass the same map.
 */
export function watchedStore(
  store: Store,
  names: Map<string, { kind: 'value' | 'index'; ttl: number | undefined }> = new Map(),
) {
  const note = (kind: 'value' | 'index', name: unknown, ttl: unknown) =>
    names.set(String(name), { kind, ttl: ttl as number | undefined })
  const wrap = (inner: Store): Store =>
    new Proxy(inner, {
      get(target, name: keyof Store) {
        const member = target[name]
        if (name === 'durable') return target.durable && wrap(target.durable)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (name === 'set' || name === 'create') note('value', args[0], args[2])
          if (name === 'replace') note('value', args[0], args[3])
          if (name === 'add') note('index', args[0], args[2])
          return Reflect.apply(member, target, args) as unknown
        }
      },
    })

  return {
    store: wrap(store),
    names,
    async dump(): Promise<Dump> {
      const found = new Map<string, { texts: readonly string[]; ttl: number | undefined }>()
      for (const [name, { kind, ttl }] of names) {
        const texts =
          kind === 'index' ? await store.range(name, { limit: 1000 }) : [(await store.get(name)) ?? []].flat()
        if (texts.length > 0) found.set(name, { texts, ttl })
      }
      return found
    },
  }
}
