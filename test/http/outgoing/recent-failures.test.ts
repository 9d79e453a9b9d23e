import { expect, it } from 'vitest'
import { createRecentFailures } from '../../../src/http/outgoing/recent-failures.ts'

it('a failure is remembered for a second after the last failure of the URL', () => {
  let now = 5_000
  const failures = createRecentFailures(() => now)
  failures.add('a', 'first')
  now += 600
  failures.add('b', 'second')
  failures.add('a', 'third')
  now += 999
  expect(['a', 'b', 'c'].map(failures.find)).toEqual(['third', 'second', undefined])
  now += 1
  expect(['a', 'b', 'c'].map(failures.find)).toEqual([undefined, undefined, undefined])
})
