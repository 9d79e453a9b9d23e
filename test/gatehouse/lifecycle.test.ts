import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import { createLifecycle } from '../../src/gatehouse/lifecycle.ts'

const unavailable = () => new GatehouseError('ERR_STORE_UNAVAILABLE', 'the store is unavailable')
const noStop = async () => {}
const noReport = () => {}

it('concurrent calls of ready() start the service once, and nothing starts before the first call', async () => {
  let starts = 0
  const start = async () => {
    starts += 1
    await delay(1)
    return 'running'
  }
  const lifecycle = createLifecycle(start, noStop, noReport)
  await delay(1)
  expect([starts, lifecycle.running]).toEqual([0, undefined])
  expect(await Promise.all([1, 2, 3].map(() => lifecycle.ready(1000)))).toEqual(Array(3).fill('running'))
  expect(await lifecycle.ready(1)).toBe('running')
  expect([starts, lifecycle.running]).toEqual([1, 'running'])
})

it('a start is retried while the store is unavailable, and ready() rejects with ERR_STORE_UNAVAILABLE after its timeout', async () => {
  let isUnavailable = true
  const start = vi.fn(async () => {
    if (isUnavailable) throw unavailable()
    return 'running'
  })
  const lifecycle = createLifecycle(start, noStop, noReport)
  await expect(lifecycle.ready(20)).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', status: 503 })
  isUnavailable = false
  await vi.waitFor(() => expect(lifecycle.running).toBe('running'), { timeout: 2000 })
  expect(start.mock.calls.length).toBe(2)
})

it('ready() rejects with ERR_NOT_READY after its timeout, and the start continues', async () => {
  let finish: (running: string) => void = () => {}
  const lifecycle = createLifecycle(
    () => new Promise<string>((resolve) => (finish = resolve)),
    noStop,
    noReport,
  )
  await expect(lifecycle.ready(10)).rejects.toMatchObject({ code: 'ERR_NOT_READY', status: 503 })
  finish('running')
  expect(await lifecycle.ready(10)).toBe('running')
})

it('a start that fails with an error other than ERR_STORE_UNAVAILABLE is retried only by the next call of ready()', async () => {
  const failures = [new GatehouseError('ERR_SECRET_MISMATCH', 'wrong'), new TypeError('unexpected')]
  const start = vi.fn(async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'running'
  })
  const lifecycle = createLifecycle(start, noStop, noReport)
  await expect(lifecycle.ready(1000)).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
  await expect(lifecycle.ready(1000)).rejects.toThrow('unexpected')
  expect(await lifecycle.ready(1000)).toBe('running')
})

it('close() stops the running service once, and a closed service cannot be started again', async () => {
  const stop = vi.fn(noStop)
  const lifecycle = createLifecycle(async () => 'running', stop, noReport)
  await lifecycle.ready(1000)
  await Promise.all([lifecycle.close(), lifecycle.close()])
  expect(stop.mock.calls).toEqual([['running']])
  expect(lifecycle.running).toBeUndefined()
  await expect(lifecycle.ready(1000)).rejects.toMatchObject({ code: 'ERR_CLOSED' })
})

it('a service that is closed during its start is stopped as soon as it runs', async () => {
  let finish: (running: string) => void = () => {}
  const stop = vi.fn(noStop)
  const lifecycle = createLifecycle(
    () => new Promise<string>((resolve) => (finish = resolve)),
    stop,
    noReport,
  )
  const waiting = lifecycle.ready(1000)
  const closing = lifecycle.close()
  expect(stop).not.toHaveBeenCalled()
  finish('running')
  await closing
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(stop.mock.calls).toEqual([['running']])
  expect(lifecycle.running).toBeUndefined()
})

it('a start that waits for an unavailable store is no longer retried after close()', async () => {
  const start = vi.fn(async () => {
    throw unavailable()
  })
  const lifecycle = createLifecycle(start, noStop, noReport)
  const waiting = lifecycle.ready(1000)
  await delay(10)
  await lifecycle.close()
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  const attempts = start.mock.calls.length
  await delay(300)
  expect(start.mock.calls.length).toBe(attempts)
})

it('begin() starts the service once, in the background, and not if it is closed directly', async () => {
  const start = vi.fn(async () => 'running')
  const lifecycle = createLifecycle(start, noStop, noReport)
  lifecycle.begin()
  lifecycle.begin()
  expect(start).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(lifecycle.running).toBe('running'))
  lifecycle.begin()
  await delay(5)
  expect(start).toHaveBeenCalledTimes(1)
  const closed = createLifecycle(start, noStop, noReport)
  closed.begin()
  await closed.close()
  await delay(5)
  expect(start).toHaveBeenCalledTimes(1)
})

it('a start that fails in the background is reported, and causes no unhandled rejection', async () => {
  const failed = vi.fn()
  const failure = new GatehouseError('ERR_SECRET_MISMATCH', 'wrong')
  const lifecycle = createLifecycle(async () => Promise.reject(failure), noStop, failed)
  lifecycle.begin()
  await vi.waitFor(() => expect(failed.mock.calls).toEqual([[failure]]))
  expect(lifecycle.failure).toBe(failure)
})

it('if begin() was not called, a start that fails rejects ready() and is not reported', async () => {
  const failed = vi.fn()
  const lifecycle = createLifecycle(async () => Promise.reject(new TypeError('unexpected')), noStop, failed)
  await expect(lifecycle.ready(1000)).rejects.toThrow('unexpected')
  expect(failed).not.toHaveBeenCalled()
})

it('if a start fails after close(), ready() rejects with ERR_CLOSED and the failure is not reported', async () => {
  let fail: (error: unknown) => void = () => {}
  const failed = vi.fn()
  const start = () => new Promise<string>((_, reject) => (fail = reject))
  const lifecycle = createLifecycle(start, noStop, failed)
  lifecycle.begin()
  const waiting = lifecycle.ready(1000)
  const closing = lifecycle.close()
  fail(unavailable())
  await closing
  await expect(waiting).rejects.toMatchObject({ code: 'ERR_CLOSED' })
  expect(failed).not.toHaveBeenCalled()
})
