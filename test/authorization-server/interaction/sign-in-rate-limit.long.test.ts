import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { expect, it } from 'vitest'
import { createSignInRateLimit } from '../../../src/authorization-server/interaction/sign-in-rate-limit.ts'

it('600,000 attempts with different keys block all sign-ins until the window ends', () => {
  let now = 1000
  const { consume } = createSignInRateLimit({ store: memoryStore(), max: 3, now: () => now })
  const attempt = (key: string) => consume({ keys: [key], address: `address of ${key}` })
  for (let count = 0; count < 600_000; count += 1) attempt(`key-${count}`)
  expect(attempt('person')).toBe(900)
  now += 900
  expect(attempt('person')).toBe(0)
}, 120_000)
