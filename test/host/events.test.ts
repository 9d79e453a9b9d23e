import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import { createEvents } from '../../src/host/events.ts'

const onListenerError = vi.fn<(error: unknown, event: string) => void>()
const create = () => createEvents(onListenerError)
const reloaded = { products: 1, operations: 2 }

beforeEach(() => void onListenerError.mockReset())

describe('events', () => {
  it('an event reaches every listener of its name, and no other listener', () => {
    const events = create()
    const [one, two, other] = [vi.fn(), vi.fn(), vi.fn()]
    events.on('catalog.reloaded', one)
    events.on('catalog.reloaded', two)
    events.on('error', other)
    events.emit('catalog.reloaded', reloaded)
    expect(one).toHaveBeenCalledExactlyOnceWith(reloaded)
    expect(two).toHaveBeenCalledExactlyOnceWith(reloaded)
    expect(other).not.toHaveBeenCalled()
  })

  it('a listener that was added twice is called once, and a removed listener is not called', () => {
    const events = create()
    const listener = vi.fn()
    events.on('catalog.reloaded', listener)
    events.on('catalog.reloaded', listener)
    events.emit('catalog.reloaded', reloaded)
    expect(listener).toHaveBeenCalledTimes(1)
    events.off('catalog.reloaded', listener)
    events.off('error', listener)
    events.emit('catalog.reloaded', reloaded)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('an event reaches the listeners that exist at the time of emit, even if a listener adds or removes other listeners', () => {
    const events = create()
    const [late, leaving] = [vi.fn(), vi.fn()]
    events.on('catalog.reloaded', () => {
      events.off('catalog.reloaded', leaving)
      events.on('catalog.reloaded', late)
    })
    events.on('catalog.reloaded', leaving)
    events.emit('catalog.reloaded', reloaded)
    expect([leaving, late].map(({ mock }) => mock.calls.length)).toEqual([1, 0])
    events.emit('catalog.reloaded', reloaded)
    expect([leaving, late].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  })

  it('an error event without a listener does not throw', () => {
    expect(() => create().emit('error', { error: new Error('no listener') })).not.toThrow()
  })

  it('subscribing to an unknown event throws', () => {
    const events = create()
    for (const name of ['token.isued', 'toString', '', undefined]) {
      for (const method of ['on', 'off'] as const) {
        expect(() => events[method](name as never, () => {})).toThrow(
          expect.objectContaining({
            code: 'ERR_INVALID_ARGUMENT',
            message: expect.stringContaining('token.issued'),
          }),
        )
      }
    }
  })

  it('only a function can be a listener', () => {
    for (const listener of [undefined, null, 'listener', {}]) {
      expect(() => create().on('error', listener as never)).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
      )
    }
  })
})

describe('a failing listener', () => {
  const unhandled = vi.fn()
  beforeEach(() => {
    unhandled.mockReset()
    process.on('unhandledRejection', unhandled)
  })
  afterEach(() => void process.off('unhandledRejection', unhandled))

  it('a listener that throws, rejects, or rejects later is reported, and does not affect other listeners', async () => {
    const failures: ((error: Error) => () => unknown)[] = [
      (error) => () => {
        throw error
      },
      (error) => async () => {
        throw error
      },
      (error) => () => new Promise((_, reject) => setImmediate(reject, error)),
    ]
    for (const listenerOf of failures) {
      onListenerError.mockReset()
      const events = create()
      const error = new Error('the audit log is full')
      const next = vi.fn()
      events.on('catalog.reloaded', listenerOf(error))
      events.on('catalog.reloaded', next)
      events.emit('catalog.reloaded', reloaded)
      expect(next).toHaveBeenCalledTimes(1)
      await vi.waitFor(() =>
        expect(onListenerError).toHaveBeenCalledExactlyOnceWith(error, 'catalog.reloaded'),
      )
      // Node reports uncaught rejections after the microtasks.
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).not.toHaveBeenCalled()
    }
  })
})

it('many listeners cause no warning of a leak', async () => {
  const warned = vi.fn()
  process.on('warning', warned)
  const events = create()
  const listeners = Array.from({ length: 50 }, () => vi.fn())
  for (const listener of listeners) events.on('catalog.reloaded', listener)
  events.emit('catalog.reloaded', reloaded)
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', warned)
  expect(listeners.every(({ mock }) => mock.calls.length === 1)).toBe(true)
  expect(warned).not.toHaveBeenCalled()
})

it('a gatehouse lets its host subscribe to events, but not emit them', async () => {
  await using gatehouse = createGatehouse({
    issuer: 'http://localhost:3000/auth',
    audience: 'http://localhost:3000/api',
    store: memoryStore(),
    products: {},
    accounts: { find: () => undefined },
  })
  expect(gatehouse).toHaveProperty('on')
  expect(gatehouse).toHaveProperty('off')
  expect(gatehouse).not.toHaveProperty('emit')
  expect(() => gatehouse.on('token.isued' as never, () => {})).toThrow('there is no event "token.isued"')
})
