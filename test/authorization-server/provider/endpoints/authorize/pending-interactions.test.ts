import { afterEach, expect, it, vi } from 'vitest'
import { createPendingInteractions } from '../../../../../src/authorization-server/provider/endpoints/authorize/pending-interactions.ts'
import { addressGroup } from '../../../../../src/http/rate-limit-group.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** The maximum number of pending interactions that are counted at the same time. */
const MAX_COUNTED = 50_000

function pendingWith({ max }: { max: number }) {
  const memory = { isNearlyFull: () => false }
  const pending = createPendingInteractions({ max, seconds: 60, memory, logger: SILENT })
  return {
    remove: pending.release,
    /** Whether the interaction was admitted. */
    add(address: string, id: string): boolean {
      try {
        pending.admit(address, id)
        return true
      } catch (error) {
        expect(error).toMatchObject({ status: 429 })
        return false
      }
    },
  }
}
afterEach(() => void vi.useRealTimers())

it('each address may have up to the maximum of pending interactions', () => {
  const pending = pendingWith({ max: 2 })
  expect(['a', 'b', 'c'].map((id) => pending.add('one', id))).toEqual([true, true, false])
  expect(pending.add('other', 'd')).toBe(true)
})

it('an answered interaction makes room for one new interaction', () => {
  const pending = pendingWith({ max: 1 })
  pending.add('one', 'a')
  pending.remove('a')
  pending.remove('a')
  pending.remove('unknown')
  expect(pending.add('one', 'b')).toBe(true)
  expect(pending.add('one', 'c')).toBe(false)
})

it('an expired interaction is not counted any more', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const pending = pendingWith({ max: 1 })
  pending.add('one', 'a')
  vi.advanceTimersByTime(59_999)
  expect(pending.add('one', 'b')).toBe(false)
  vi.advanceTimersByTime(1)
  expect(pending.add('one', 'c')).toBe(true)
  pending.remove('a')
  expect(pending.add('one', 'd')).toBe(false)
})

it('beyond 50,000 pending interactions, the oldest interactions are no longer counted, so that memory stays limited', () => {
  const pending = pendingWith({ max: 1 })
  for (let index = 0; index <= MAX_COUNTED; index += 1) pending.add(`${index}`, `${index}`)
  expect(pending.add('1', 'again')).toBe(false)
  expect(pending.add('0', 'again')).toBe(true)
})

it('with the maximum 0, the number of pending interactions is not limited', () => {
  const pending = pendingWith({ max: 0 })
  for (let index = 0; index < 5000; index += 1) expect(pending.add('one', `${index}`)).toBe(true)
})

it('while pending interactions are counted, a long X-Forwarded-For takes little memory', async () => {
  const pending = pendingWith({ max: 1 })
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 400; index += 1) {
    for (const beginning of [`100.100.${100 + (index >> 7)}.${100 + (index & 127)}, `, '']) {
      const header = Buffer.from(`${beginning}${'x'.repeat(12_000)}${index}`).toString('latin1')
      // With `app.proxy`, Koa reads the address from the header in this way.
      const [ip = ''] = header.split(/\s*,\s*/)
      pending.add(addressGroup(ip), `${beginning}${index}`)
    }
  }
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000)
  expect(pending.add('one', 'last')).toBe(true)
})
