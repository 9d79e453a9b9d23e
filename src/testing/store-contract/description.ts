import assert from 'node:assert/strict'
import type { Store } from '../../store/contract.ts'
import type { StorePromises } from './promise.ts'

const STATUSES = ['pass', 'warn', 'fail', 'unknown']

/** Milliseconds by which the clocks of the database and of the tests may differ. */
const MAX_CLOCK_DIFFERENCE_MS = 600_000

const METHODS = [
  ['get', 'getMany', 'set', 'create', 'replace', 'delete', 'add', 'remove', 'range'],
  ['publish', 'subscribe', 'ping', 'close'],
].flat() as (keyof Store)[]

/** Promises about `ping`, `volatile`, `durable` and `inspect`, by which a store describes itself. */
export const description: StorePromises = {
  async 'ping resolves if the database answers'({ store }) {
    assert.equal(await store.ping(), undefined)
  },

  async 'volatile is a boolean, and durable is a complete store, if the store has these properties'(stage) {
    const { store, other } = stage
    for (const one of [store, other]) {
      assert.ok(['boolean', 'undefined'].includes(typeof one.volatile), 'volatile is not a boolean')
      assert.equal(one.volatile === true, store.volatile === true)
      if (one.durable === undefined) continue
      for (const method of METHODS) {
        assert.equal(typeof one.durable[method], 'function', `durable has no ${method}`)
      }
    }
  },

  async 'inspect answers with the time and a list of checks, and never quotes stored data'({ store, key }) {
    if (store.inspect === undefined) return
    await store.set(key('a'), key('value'), 1000)
    const { time, checks } = await store.inspect()
    if (time !== undefined) {
      const difference = Math.abs(time - Date.now())
      assert.ok(
        difference < MAX_CLOCK_DIFFERENCE_MS,
        `time differs from the clock of the tests by ${difference} ms; is time in milliseconds, UTC?`,
      )
    }
    assert.ok(Array.isArray(checks), 'checks is not an array')
    for (const { name, status, message, remedy } of checks) {
      for (const text of [name, message])
        assert.ok(typeof text === 'string' && text !== '', `the check ${name} has no name or no message`)
      assert.ok(STATUSES.includes(status), `${name}: the status ${status} does not exist`)
      const needsRemedy = status === 'fail' || status === 'warn'
      assert.ok(
        remedy === undefined ? !needsRemedy : typeof remedy === 'string' && remedy !== '',
        `the check ${name} has no remedy in words`,
      )
    }
    assert.ok(!JSON.stringify(checks).includes(key('')), 'a check contains stored data')
  },
}
