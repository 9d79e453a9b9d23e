import assert from 'node:assert/strict'
import { longestNames, NAMES_OF_OBJECTS, SUFFIXES } from './names.ts'
import type { StorePromises } from './promise.ts'

/** Texts that change if a store trims, parses, normalises, escapes or cuts them. */
const TEXTS = [
  [' ', '0', '-1', '1e3', 'null', 'undefined', 'true', 'OK', '{"v":1,"a":["b"]}', ' leading and trailing '],
  ['line\nbreak\r\nand\ttab', 'nul\u0000inside', `"quotes" 'and' \\backslashes\\`],
  ['composed \u00e9, decomposed e\u0301', 'العربية עברית ไทย 日本語', '\uFEFFafter a byte order mark'],
  ['\u{1F469}\u200D\u{1F4BB}\u{1F600}\u{10FFFF}', '\u2028\u2029\uFEFF\uFFFD'],
  // Separators, terminators and escapes of various formats.
  ['\\u0000 \\x00 %00 $1 ${a} {{a}} ?'],
].flat()

/** Promises about storing and reading texts. */
export const values: StorePromises = {
  async 'get answers undefined for a key that was never set'({ store, key }) {
    assert.equal(await store.get(key('never')), undefined)
  },

  async 'set stores any text unchanged and overwrites an existing value, and every store on the database reads the new text'(
    stage,
  ) {
    const { store, other, key } = stage
    for (const text of TEXTS) {
      assert.equal(await store.set(key('text'), text), undefined)
      assert.equal(await store.get(key('text')), text)
      assert.equal(await other.get(key('text')), text)
    }
  },

  async 'create and replace store any text unchanged'({ store, key }) {
    let before = 'first'
    assert.equal(await store.create(key('replaced'), before), true)
    for (const [position, text] of TEXTS.entries()) {
      assert.equal(await store.create(key(`created ${position}`), text), true)
      assert.equal(await store.get(key(`created ${position}`)), text)
      assert.equal(await store.replace(key('replaced'), before, text), true)
      assert.equal(await store.get(key('replaced')), text)
      before = text
    }
  },

  async 'a value may have a million characters'({ store, key }) {
    const text = 'ü😀x'.repeat(250_000)
    await store.set(key('large'), text)
    // assert.equal is not used, because it would print both large texts.
    assert.ok((await store.get(key('large'))) === text, 'the text was changed')
    assert.equal(await store.create(key('created'), text), true)
    assert.ok((await store.getMany([key('created')]))[0] === text, 'the text was changed')
    assert.equal(await store.replace(key('large'), `${text} `, 'small'), false)
    assert.equal(await store.replace(key('large'), text.slice(0, -1), 'small'), false)
    assert.equal(await store.replace(key('large'), text, 'small'), true)
    assert.equal(await store.get(key('large')), 'small')
  },

  async 'keys are compared character by character, and may have 512 characters'({ store, key }) {
    const keys = [...SUFFIXES.map(key), ...longestNames(key)]
    await Promise.all(keys.map((name, position) => store.set(name, `value ${position}`)))
    const expected = keys.map((_, position) => `value ${position}`)
    assert.deepEqual(await store.getMany(keys), expected)
    assert.deepEqual(await Promise.all(keys.map((name) => store.get(name))), expected)
    for (const [position, name] of keys.slice(0, -1).entries()) {
      // Deleting one key must not delete another key, so the next key must still exist.
      assert.equal(await store.delete(name), true, `nothing to delete under ${JSON.stringify(name)}`)
      const [deleted, next] = await store.getMany([name, keys[position + 1] ?? ''])
      assert.deepEqual([deleted, next], [undefined, `value ${position + 1}`])
    }
  },

  async 'keys, indexes and members may have the names of built-in object properties'({ store, key }) {
    for (const name of NAMES_OF_OBJECTS) {
      // Other programs may use these names, so the check only reads them. The answer must be a text or undefined.
      const found = [await store.get(name), ...(await store.getMany([name]))]
      for (const text of found)
        assert.ok(text === undefined || typeof text === 'string', `${name} has a value that is not a text`)
      assert.equal(await store.replace(name, key('never stored'), 'new'), false)
      for (const member of await store.range(`index ${name}`, { limit: 10 })) {
        assert.equal(typeof member, 'string')
      }
      await store.add(key('index'), name)
      assert.equal(await store.create(key(name), name), true)
      assert.equal(await store.get(key(name)), name)
    }
    const members = await store.range(key('index'), { limit: 10 })
    assert.deepEqual(members, NAMES_OF_OBJECTS.toSorted())
  },

  async 'getMany answers in the order of its keys, with undefined for absent keys'({ store, key }) {
    await store.set(key('a'), '1')
    await store.set(key('b'), '2')
    const keys = [key('b'), key('absent'), key('a'), key('b')]
    assert.deepEqual(await store.getMany(keys), ['2', undefined, '1', '2'])
    assert.deepEqual(await store.getMany([key('absent')]), [undefined])
    assert.deepEqual(await store.getMany([]), [])
  },

  async 'getMany accepts a thousand keys, with duplicates'({ store, key }) {
    const keys = Array.from({ length: 1000 }, (_, number) => key(String(number % 600)))
    const stored = keys.slice(0, 600).filter((_, number) => number % 20 === 0)
    await Promise.all(stored.map((name) => store.set(name, name)))
    const expected = keys.map((name) => (stored.includes(name) ? name : undefined))
    assert.deepEqual(await store.getMany(keys), expected)
  },

  async 'every store reads the writes of another store at once'({ store, other, key }) {
    for (let round = 0; round < 5; round += 1) {
      await store.set(key('a'), `set ${round}`)
      assert.equal(await other.get(key('a')), `set ${round}`)
      assert.equal(await other.replace(key('a'), `set ${round}`, `replaced ${round}`), true)
      assert.deepEqual(await store.getMany([key('a')]), [`replaced ${round}`])
      assert.equal(await store.delete(key('a')), true)
      assert.deepEqual(await other.getMany([key('a')]), [undefined])
      assert.equal(await other.create(key('a'), `created ${round}`), true)
      assert.equal(await store.get(key('a')), `created ${round}`)

      await store.add(key('index'), `member ${round}`)
      assert.deepEqual(await other.range(key('index'), { limit: 10 }), [`member ${round}`])
      await other.remove(key('index'), `member ${round}`)
      assert.deepEqual(await store.range(key('index'), { limit: 10 }), [])
    }
  },

  async 'delete answers whether there was a value'({ store, other, key }) {
    assert.equal(await store.delete(key('a')), false)
    await store.set(key('a'), '1')
    await store.set(key('b'), '2')
    assert.equal(await other.delete(key('a')), true)
    assert.equal(await store.delete(key('a')), false)
    assert.equal(await store.get(key('a')), undefined)
    assert.equal(await store.get(key('b')), '2')
  },
}
