import type { Store } from '../../store/contract.ts'

/** One call of each method that needs the database, by the name of the method. */
export function callsOf(store: Store, key: (suffix: string) => string) {
  return new Map<string, () => Promise<unknown>>([
    ['get', () => store.get(key('a'))],
    ['getMany', () => store.getMany([key('a')])],
    ['set', () => store.set(key('set'), '2')],
    ['create', () => store.create(key('created'), '2')],
    ['replace', () => store.replace(key('a'), '1', '2')],
    // The right answer is `false`. A store that cannot reach its database does not know the answer, so it must reject.
    ['create of an existing key', () => store.create(key('a'), '2')],
    ['replace with another expected text', () => store.replace(key('a'), '3', '2')],
    ['delete', () => store.delete(key('a'))],
    ['add', () => store.add(key('index'), 'b')],
    ['remove', () => store.remove(key('index'), 'a')],
    ['range', () => store.range(key('index'), { limit: 1 })],
    ['publish', () => store.publish(key('channel'), 'a')],
    ['subscribe', () => store.subscribe(key('channel'), () => {})],
    ['ping', () => store.ping()],
  ])
}
