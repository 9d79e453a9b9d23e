import { expect, test } from 'vitest'
import { createPendingInteractions } from '../../../../../src/authorization-server/provider/endpoints/authorize/pending-interactions.ts'
import { addressGroup } from '../../../../../src/http/client-address.ts'
import { collectGarbage } from '../../../../support/collect-garbage.ts'

function pendingWith(options: { max: number; most?: number }) {
  const clock = { now: 0 }
  const pending = createPendingInteractions({ seconds: 60, now: () => clock.now, ...options })
  return { clock, pending }
}

test('an address may have as many as that, and another one as many again', () => {
  const { pending } = pendingWith({ max: 2 })
  expect(['a', 'b', 'c'].map((id) => pending.add('one', id))).toEqual([true, true, false])
  expect(pending.add('other', 'd')).toBe(true)
})

test('one that was answered makes room for another, once', () => {
  const { pending } = pendingWith({ max: 1 })
  pending.add('one', 'a')
  pending.remove('a')
  pending.remove('a')
  pending.remove('unknown')
  expect(pending.add('one', 'b')).toBe(true)
  expect(pending.add('one', 'c')).toBe(false)
})

test('one that has expired does not count any more', () => {
  const { clock, pending } = pendingWith({ max: 1 })
  pending.add('one', 'a')
  clock.now = 59_999
  expect(pending.add('one', 'b')).toBe(false)
  clock.now = 60_000
  expect(pending.add('one', 'c')).toBe(true)
  pending.remove('a')
  expect(pending.add('one', 'd')).toBe(false)
})

test('addresses without number take no more memory than that: the oldest are forgotten first', () => {
  const { pending } = pendingWith({ max: 1, most: 3 })
  for (const address of ['a', 'b', 'c', 'd']) expect(pending.add(address, address)).toBe(true)
  expect(pending.add('b', 'again')).toBe(false)
  expect(pending.add('a', 'again')).toBe(true)
})

test('0 is no limit', () => {
  const { pending } = pendingWith({ max: 0 })
  for (let index = 0; index < 5000; index += 1) expect(pending.add('one', `${index}`)).toBe(true)
})

test.each([
  ['an address', true],
  ['none', false],
])('of a long X-Forwarded-For that begins with %s, little is kept', async (_, isAddress) => {
  const { pending } = pendingWith({ max: 1 })
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 2000; index += 1) {
    const beginning = isAddress ? `100.100.${100 + (index >> 7)}.${100 + (index & 127)}, ` : ''
    const header = Buffer.from(`${beginning}${'x'.repeat(12_000)}${index}`).toString('latin1')
    // As Koa reads it where the host has set `app.proxy`.
    const [ip = ''] = header.split(/\s*,\s*/)
    pending.add(addressGroup(ip), `${index}`)
  }
  await collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000)
  expect(pending.add('one', 'last')).toBe(true)
})
