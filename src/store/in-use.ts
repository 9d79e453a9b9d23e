import { createCollection } from './collection.ts'
import type { Store } from './contract.ts'

const MARK = 'data'

/**
 * The same store, in which the first write leaves a mark that stays: from then on the store counts as in use,
 * whatever is deleted or expires. Tests ask for it (`koa-gatehouse/testing`); nothing else does, so a mark that
 * cannot be written holds nothing up, and the next write tries again. A store that forgets is not marked.
 *
 * @param options.except names of collections whose records do not count
 */
export function markUse(store: Store, { except }: { readonly except: readonly string[] }): Store {
  if (store.volatile) return store
  let isMarked = false

  function mark(key: string): void {
    if (isMarked || except.some((name) => key.startsWith(`${name}:`))) return
    isMarked = true
    // At the same time as the write itself, which need not wait for it.
    inUse(store)
      .create(MARK, {})
      .catch(() => (isMarked = false))
  }

  return {
    ...store,
    durable: store.durable && markUse(store.durable, { except }),
    set(key, value, ttl) {
      mark(key)
      return store.set(key, value, ttl)
    },
    create(key, value, ttl) {
      mark(key)
      return store.create(key, value, ttl)
    },
    add(index, member, ttl) {
      mark(index)
      return store.add(index, member, ttl)
    },
  }
}

/** Whether anything that counts was ever written to the store; see `markUse`. */
export async function isInUse(store: Store): Promise<boolean> {
  return (await inUse(store).get(MARK)) !== undefined
}

function inUse(store: Store) {
  return createCollection<object>(store, { name: 'in-use', version: 1 })
}
