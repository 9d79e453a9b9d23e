import { expect, test } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { withDeadline } from '../../src/store/deadline.ts'

test('a subscription that comes after its deadline is ended, so that retries do not pile up', async () => {
  const inner = memoryStore()
  let settle: (() => void) | undefined
  let left = 0
  const store = withDeadline(
    {
      ...inner,
      async subscribe(channel, listener) {
        const leave = await inner.subscribe(channel, listener)
        await new Promise<void>((resolve) => (settle = resolve))
        return async () => {
          left += 1
          await leave()
        }
      },
    },
    10,
  )
  const heard: string[] = []
  await expect(store.subscribe('channel', (message) => heard.push(message))).rejects.toMatchObject({
    code: 'ERR_STORE_UNAVAILABLE',
  })
  settle?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(left).toBe(1)
  await inner.publish('channel', 'too late')
  await new Promise((resolve) => setImmediate(resolve))
  expect(heard).toEqual([])
})
