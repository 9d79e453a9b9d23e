import assert from 'node:assert/strict'
import { competitors, type StorePromises } from './promise.ts'

/** Elapses during a check. On a slow machine, a value may already have expired at its first check. */
const SHORT = 2
/** A time to live in seconds that never elapses during a check. */
const LONG = 1000
/** The seconds of a century: more than a signed 32-bit number can hold. */
const CENTURY = 3_155_760_000

/** Promises about times to live. */
export const expiry: StorePromises = {
  async 'a value whose time to live has elapsed is absent for every method'({ store, other, key, elapse }) {
    const names = ['get', 'getMany', 'create', 'replace', 'delete'].map(key)
    const [get = '', getMany = '', create = '', replace = '', remove = ''] = names
    await Promise.all(names.map((name) => store.set(name, 'old', SHORT)))
    assert.equal(await store.create(key('created'), 'old', SHORT), true)
    await store.set(key('long'), 'old', LONG)
    assert.equal(await store.create(key('created long'), 'old', LONG), true)
    await store.set(key('permanent'), 'old')
    await elapse(SHORT)

    assert.equal(await store.get(get), undefined)
    assert.equal(await other.get(key('created')), undefined)
    assert.deepEqual(await store.getMany([getMany, key('permanent')]), [undefined, 'old'])
    assert.equal(await store.replace(replace, 'old', 'new'), false)
    assert.equal(await store.get(replace), undefined)
    assert.equal(await store.delete(remove), false)
    assert.equal(await store.create(create, 'new'), true)
    assert.equal(await store.get(create), 'new')
    assert.equal(await store.get(key('long')), 'old')
    assert.equal(await store.get(key('created long')), 'old')
  },

  async 'set and replace give a value its new time to live, which may be longer, shorter or unlimited'({
    store,
    key,
    elapse,
  }) {
    await Promise.all(
      (['set', 'replace'] as const).map(async (method) => {
        const write = async (name: string, before: number | undefined, after: number | undefined) => {
          await store.set(key(`${method} ${name}`), 'old', before)
          if (method === 'set') await store.set(key(`${method} ${name}`), 'new', after)
          else assert.equal(await store.replace(key(`${method} ${name}`), 'old', 'new', after), true)
        }
        await write('longer', SHORT, LONG)
        await write('none any more', SHORT, undefined)
        await write('shorter', LONG, SHORT)
        await write('one where there was none', undefined, SHORT)
      }),
    )
    await elapse(SHORT)
    for (const method of ['set', 'replace']) {
      const read = (name: string) => store.get(key(`${method} ${name}`))
      assert.equal(await read('longer'), 'new', `${method} did not lengthen the time to live`)
      assert.equal(await read('none any more'), 'new', `${method} kept the old time to live`)
      assert.equal(await read('shorter'), undefined, `${method} did not shorten the time to live`)
      assert.equal(await read('one where there was none'), undefined)
    }
  },

  async 'a call of create or replace that answers false does not change the time to live'(stage) {
    const { store, key, elapse } = stage
    for (const method of ['create', 'replace'] as const) {
      const fail = (name: string, ttl: number) =>
        method === 'create' ? store.create(name, 'new', ttl) : store.replace(name, 'another', 'new', ttl)
      await store.set(key(`${method} short`), 'old', SHORT)
      await store.set(key(`${method} permanent`), 'old')
      assert.equal(await fail(key(`${method} short`), LONG), false)
      assert.equal(await fail(key(`${method} permanent`), SHORT), false)
    }
    await elapse(SHORT)
    for (const method of ['create', 'replace']) {
      assert.equal(await store.get(key(`${method} short`)), undefined)
      assert.equal(await store.get(key(`${method} permanent`)), 'old')
    }
  },

  async 'an index lives for its longest time to live, and starts empty after that'(stage) {
    const { store, other, key, elapse } = stage
    const add = async (index: string, ...ttls: (number | undefined)[]) => {
      for (const [position, ttl] of ttls.entries()) await store.add(key(index), `member ${position}`, ttl)
    }
    await add('short', SHORT, SHORT)
    await add('long, then short', LONG, SHORT)
    await add('short, then long', SHORT, LONG)
    await add('short, then permanent', SHORT, undefined)
    await add('permanent, then short', undefined, SHORT)
    await store.add(key('same member'), 'member', SHORT)
    await store.add(key('same member'), 'member', LONG)
    await add('permanent once', undefined)
    await store.remove(key('permanent once'), 'member 0')
    await add('permanent once', SHORT)
    await elapse(SHORT)

    const range = (index: string) => store.range(key(index), { limit: 10 })
    assert.deepEqual(await range('short'), [])
    assert.deepEqual(await range('long, then short'), ['member 0', 'member 1'])
    assert.deepEqual(await range('short, then long'), ['member 0', 'member 1'])
    assert.deepEqual(await range('short, then permanent'), ['member 0', 'member 1'])
    assert.deepEqual(await range('permanent, then short'), ['member 0', 'member 1'])
    assert.deepEqual(await range('same member'), ['member'])
    assert.deepEqual(await range('permanent once'), [], 'an emptied index kept its old time to live')
    await other.remove(key('short'), 'member 0')
    await other.add(key('short'), 'new', LONG)
    assert.deepEqual(await range('short'), ['new'])
  },

  async 'an index to which members are added concurrently lives for the longest time to live'(stage) {
    const { store, key, elapse } = stage
    const competing = competitors(stage).slice(0, 10)
    const indexes = [
      [SHORT, LONG],
      [LONG, SHORT],
      [SHORT, undefined],
      [undefined, SHORT],
    ]
    await Promise.all(
      indexes.map(async (ttls, number) => {
        await store.add(key(`used ${number}`), 'before', SHORT)
        const add = async (one: typeof store, at: number, index: string) =>
          one.add(key(`${index} ${number}`), `member ${at}`, ttls[at % 2])
        await Promise.all(
          competing.map((one, at) => Promise.all([add(one, at, 'new'), add(one, at, 'used')])),
        )
      }),
    )
    await elapse(SHORT)
    for (const number of indexes.keys()) {
      const members = competing.map((_, at) => `member ${at}`)
      assert.deepEqual(await store.range(key(`new ${number}`), { limit: 20 }), members)
      assert.deepEqual(await store.range(key(`used ${number}`), { limit: 20 }), ['before', ...members])
    }
  },

  async 'a time to live may be a century'({ store, key }) {
    await store.set(key('set'), 'old', CENTURY)
    assert.equal(await store.create(key('created'), 'old', CENTURY), true)
    assert.deepEqual(await store.getMany([key('set'), key('created')]), ['old', 'old'])
    assert.equal(await store.replace(key('set'), 'old', 'new', CENTURY), true)
    assert.equal(await store.get(key('set')), 'new')
    await store.add(key('index'), 'a', LONG)
    await store.add(key('index'), 'b', CENTURY)
    assert.deepEqual(await store.range(key('index'), { limit: 10 }), ['a', 'b'])
  },
}
