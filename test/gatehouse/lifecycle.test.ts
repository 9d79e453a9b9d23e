import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { createLifecycle } from '../../src/gatehouse/lifecycle.ts'

const away = () => new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is away')
const nothing = async () => {}

test('starts once, however many wait for it', async () => {
  const start = vi.fn(async () => {
    await delay(10)
    return 'running'
  })
  const lifecycle = createLifecycle(start, nothing)
  expect(lifecycle.running).toBeUndefined()
  expect(await Promise.all([1, 2, 3].map(() => lifecycle.ready(1000)))).toEqual(Array(3).fill('running'))
  expect(await lifecycle.ready(1)).toBe('running')
  expect(lifecycle.running).toBe('running')
  expect(start).toHaveBeenCalledTimes(1)
})

test('does nothing before it is asked', async () => {
  const start = vi.fn(async () => 'running')
  createLifecycle(start, nothing)
  await delay(5)
  expect(start).not.toHaveBeenCalled()
})

test('tries again by itself while the store is away, and says so to those who do not wait that long', async () => {
  let isAway = true
  const start = vi.fn(async () => {
    if (isAway) throw away()
    return 'running'
  })
  const lifecycle = createLifecycle(start, nothing)
  await expect(lifecycle.ready(20)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', status: 503 })
  isAway = false
  await vi.waitFor(() => expect(lifecycle.running).toBe('running'), { timeout: 2000 })
  expect(start.mock.calls.length).toBe(2)
})

test('a start that takes too long is ERR_NOT_READY, and goes on', async () => {
  let finish: (running: string) => void = () => {}
  const lifecycle = createLifecycle(() => new Promise<string>((resolve) => (finish = resolve)), nothing)
  await expect(lifecycle.ready(10)).rejects.toMatchObject({ code: 'ERR_NOT_READY', status: 503 })
  finish('running')
  expect(await lifecycle.ready(10)).toBe('running')
})

test('any other failure ends the attempt, and the next call makes a new one', async () => {
  const failures = [new GatehouseError('ERR_SECRET_MISMATCH', 'wrong'), new TypeError('unexpected')]
  const start = vi.fn(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'running'
  })
  const lifecycle = createLifecycle(start, nothing)
  await expect(lifecycle.ready(1000)).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
  await expect(lifecycle.ready(1000)).rejects.toThrow('unexpected')
  expect(await lifecycle.ready(1000)).toBe('running')
})

test('closing stops what runs, once, and there is no way back', async () => {
  const stop = vi.fn(nothing)
  const lifecycle = createLifecycle(async () => 'running', stop)
  await lifecycle.ready(1000)
  await Promise.all([lifecycle.close(), lifecycle.close()])
  expect(stop.mock.calls).toEqual([['running']])
  expect(lifecycle.running).toBeUndefined()
  await expect(lifecycle.ready(1000)).rejects.toMatchObject({ code: 'ERR_CLOSED' })
})

test('what is starting while it is closed is stopped as soon as it runs', async () => {
  let finish: (running: string) => void = () => {}
  const stop = vi.fn(nothing)
  const lifecycle = createLifecycle(() => new Promise<string>((resolve) => (finish = resolve)), stop)
  const waiting = lifecycle.ready(1000)
  await lifecycle.close()
  expect(stop).not.toHaveBeenCalled()
  finish('running')
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(stop.mock.calls).toEqual([['running']])
  expect(lifecycle.running).toBeUndefined()
})

test('closing ends the attempts to reach a store that is away', async () => {
  const start = vi.fn(async () => {
    throw away()
  })
  const lifecycle = createLifecycle(start, nothing)
  const waiting = lifecycle.ready(1000)
  await delay(10)
  await lifecycle.close()
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  const attempts = start.mock.calls.length
  await delay(300)
  expect(start.mock.calls.length).toBe(attempts)
})

test('begins in the background when told to, once, and the process may end all the same', async () => {
  const start = vi.fn(async () => 'running')
  const lifecycle = createLifecycle(start, nothing)
  lifecycle.begin()
  lifecycle.begin()
  expect(start).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(lifecycle.running).toBe('running'))
  lifecycle.begin()
  await delay(5)
  expect(start).toHaveBeenCalledTimes(1)
})

test('a failure in the background is told, and rejects nothing', async () => {
  const failed = vi.fn()
  const failure = new GatehouseError('ERR_SECRET_MISMATCH', 'wrong')
  const lifecycle = createLifecycle(async () => Promise.reject(failure), nothing, failed)
  lifecycle.begin()
  await vi.waitFor(() => expect(failed.mock.calls).toEqual([[failure]]))
  expect(lifecycle.failure).toBe(failure)
})

test('before it begins in the background, a failure is told to whoever waits alone', async () => {
  const failed = vi.fn()
  const lifecycle = createLifecycle(async () => Promise.reject(new TypeError('unexpected')), nothing, failed)
  await expect(lifecycle.ready(1000)).rejects.toThrow('unexpected')
  expect(failed).not.toHaveBeenCalled()
})

test('what fails because it was closed meanwhile is ERR_CLOSED, and told to nobody', async () => {
  let fail: (error: unknown) => void = () => {}
  const failed = vi.fn()
  const start = () => new Promise<string>((_, reject) => (fail = reject))
  const lifecycle = createLifecycle(start, nothing, failed)
  lifecycle.begin()
  const waiting = lifecycle.ready(1000)
  await lifecycle.close()
  fail(away())
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(failed).not.toHaveBeenCalled()
})

test('closed before it has begun, it never does', async () => {
  const start = vi.fn(async () => 'running')
  const lifecycle = createLifecycle(start, nothing)
  lifecycle.begin()
  await lifecycle.close()
  await delay(5)
  expect(start).not.toHaveBeenCalled()
})
