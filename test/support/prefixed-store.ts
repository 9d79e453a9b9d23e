import type { Store } from 'koa-gatehouse'

/** A store whose keys, indexes and channels begin with `prefix` in `store`, so that tests do not see the data of other tests. */
export function prefixedStore(store: Store, prefix: string): Store {
  const named =
    <Args extends unknown[], T>(method: (name: string, ...args: Args) => T) =>
    (name: string, ...args: Args) =>
      method.call(store, prefix + name, ...args)
  return {
    ...store,
    get: named(store.get),
    getMany: (keys) => store.getMany(keys.map((key) => prefix + key)),
    set: named(store.set),
    create: named(store.create),
    replace: named(store.replace),
    delete: named(store.delete),
    add: named(store.add),
    remove: named(store.remove),
    range: named(store.range),
    publish: named(store.publish),
    subscribe: named(store.subscribe),
    ...(store.count && { count: named(store.count) }),
  }
}
