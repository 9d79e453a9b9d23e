import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { withDeadline } from '../../src/store/deadline.ts'

it('a subscription that becomes active after its deadline is cancelled', async () => {
  const inner = memoryStore()
  let activate: (() => void) | undefined
  let cancelled = 0
  const store = withDeadline(
    {
      ...inner,
      async subscribe(channel, listener) {
        const unsubscribe = await inner.subscribe(channel, listener)
        await new Promise<void>((resolve) => (activate = resolve))
        return async () => {
          cancelled += 1
          await unsubscribe()
        }
      },
    },
    10,
  )
  const received: string[] = []
  await expect(store.subscribe('channel', (message) => received.push(message))).rejects.toMatchObject({
    code: 'ERR_STORE_UNAVAILABLE',
  })
  activate?.()
  await new Promise((resolve) => setImmediate(resolve))
  expect(cancelled).toBe(1)
  await inner.publish('channel', 'too late')
  await new Promise((resolve) => setImmediate(resolve))
  expect(received).toEqual([])
})
