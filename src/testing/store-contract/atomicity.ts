import assert from 'node:assert/strict'
import { competitors, CONCURRENT, type StorePromises } from './promise.ts'

/** Atomic writes with concurrent callers. */
export const atomicity: StorePromises = {
  async 'create stores a value only under an absent key'({ store, other, key }) {
    assert.equal(await store.create(key('a'), 'first'), true)
    assert.equal(await other.create(key('a'), 'second'), false)
    assert.equal(await store.create(key('a'), 'first'), false)
    assert.equal(await store.get(key('a')), 'first')
    await store.delete(key('a'))
    assert.equal(await other.create(key('a'), 'third'), true)
    assert.equal(await store.get(key('a')), 'third')
  },

  async [`exactly one of ${CONCURRENT} concurrent calls of create answers true, and its value is stored`](
    stage,
  ) {
    const name = stage.key('a')
    const created = await Promise.all(
      competitors(stage).map((store, index) => store.create(name, `value ${index}`)),
    )
    assert.equal(created.filter(Boolean).length, 1)
    assert.equal(await stage.store.get(name), `value ${created.indexOf(true)}`)
  },

  async 'replace stores a text only if the stored text is exactly the expected text'({ store, other, key }) {
    await store.set(key('a'), '1')
    for (const expected of ['2', '1 ', ' 1', '1.0', '01', '1\n', '١']) {
      const isReplaced = await store.replace(key('a'), expected, 'new')
      assert.equal(isReplaced, false, `replaced "1", although ${JSON.stringify(expected)} was expected`)
    }
    assert.equal(await store.get(key('a')), '1')
    assert.equal(await other.replace(key('a'), '1', '\u00e9'), true)
    assert.equal(await store.replace(key('a'), 'e\u0301', 'new'), false)
    assert.equal(await store.replace(key('a'), '\u00c9', 'new'), false)
    assert.equal(await store.replace(key('a'), '\u00e9', '\u00e9'), true)
    assert.equal(await store.get(key('a')), '\u00e9')
  },

  async 'replace never creates an absent key'({ store, key }) {
    assert.equal(await store.replace(key('never'), 'old', 'new'), false)
    assert.equal(await store.get(key('never')), undefined)
    await store.set(key('deleted'), 'old')
    await store.delete(key('deleted'))
    assert.equal(await store.replace(key('deleted'), 'old', 'new'), false)
    assert.equal(await store.get(key('deleted')), undefined)
  },

  async [`exactly one of ${CONCURRENT} concurrent calls of replace that expect the same text answers true, and its value is stored`](
    stage,
  ) {
    const name = stage.key('a')
    await stage.store.set(name, 'old')
    const replaced = await Promise.all(
      competitors(stage).map((store, index) => store.replace(name, 'old', `value ${index}`)),
    )
    assert.equal(replaced.filter(Boolean).length, 1)
    assert.equal(await stage.store.get(name), `value ${replaced.indexOf(true)}`)
  },

  async 'no change is lost when several callers change a value with get and replace'(stage) {
    const name = stage.key('counter')
    await stage.store.set(name, '0')
    const counters = competitors(stage).slice(0, 20)
    await Promise.all(
      counters.map(async (store) => {
        for (let counted = 0; counted < 5;) {
          const text = (await store.get(name)) ?? ''
          if (await store.replace(name, text, String(Number(text) + 1))) counted += 1
        }
      }),
    )
    assert.equal(await stage.store.get(name), String(counters.length * 5))
  },

  async [`exactly one of ${CONCURRENT} concurrent calls of delete answers true`](stage) {
    await stage.store.set(stage.key('a'), '1')
    const deleted = await Promise.all(competitors(stage).map((store) => store.delete(stage.key('a'))))
    assert.equal(deleted.filter(Boolean).length, 1)
  },

  async 'a key that is deleted while it is replaced is absent afterwards'({ store, other, key }) {
    for (let round = 0; round < CONCURRENT; round += 1) {
      const name = key(String(round))
      await store.set(name, 'old')
      const calls = [() => store.replace(name, 'old', 'new'), () => other.delete(name)]
      if (round % 2 === 1) calls.reverse()
      // In either order `delete` finds a value, and no value is left. If `delete` runs first, `replace` finds no value.
      const answers = await Promise.all(calls.map((call) => call()))
      assert.equal(answers[round % 2 === 1 ? 0 : 1], true)
      assert.equal(await store.get(name), undefined)
    }
  },
}
