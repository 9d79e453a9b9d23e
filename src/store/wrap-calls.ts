import type { Store } from './contract.ts'

/** `key` is the key or the index that the call uses. It is undefined for `getMany` and `publish`. */
export type MakeCall = <T>(call: () => Promise<T>, key?: string) => Promise<T>

type DataMethods = Pick<
  Store,
  'get' | 'getMany' | 'range' | 'publish' | 'set' | 'create' | 'replace' | 'delete' | 'add' | 'remove'
>

/** Wraps each data method of a store. */
export function wrapCalls(store: DataMethods, read: MakeCall, write: MakeCall): DataMethods {
  return {
    get: (key) => read(() => store.get(key), key),
    getMany: (keys) => read(() => store.getMany(keys)),
    range: (index, options) => read(() => store.range(index, options), index),
    publish: (channel, message) => read(() => store.publish(channel, message)),
    set: (key, value, ttl) => write(() => store.set(key, value, ttl), key),
    create: (key, value, ttl) => write(() => store.create(key, value, ttl), key),
    replace: (key, expected, value, ttl) => write(() => store.replace(key, expected, value, ttl), key),
    delete: (key) => write(() => store.delete(key), key),
    add: (index, member, ttl) => write(() => store.add(index, member, ttl), index),
    remove: (index, member) => write(() => store.remove(index, member), index),
  }
}
