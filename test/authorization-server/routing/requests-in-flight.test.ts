import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRequestsInFlight } from '../../../src/authorization-server/routing/requests-in-flight.ts'
import { silentLogger } from '../../../src/host/logger.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const sender = { address: '192.0.2.1', credentials: 'key secret' }

// Fixed bug: a callback of the host that never answered took a place for ever.
it('a request that is never answered has its place for 30 seconds', async () => {
  const inFlight = createRequestsInFlight({ max: 4, logger: silentLogger })
  const ends: ((answer: string) => void)[] = []
  const hung = () => new Promise<string>((resolve) => ends.push(resolve))
  const first = inFlight.run(sender, hung)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(await inFlight.run(sender, async () => 'answered')).toBeUndefined()
  expect(inFlight.isFull(sender.address)).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  expect(await inFlight.run(sender, async () => 'answered')).toBe('answered')
  // The answer that comes late frees no second place.
  const second = inFlight.run(sender, hung)
  await Promise.resolve()
  ends[0]?.('late')
  expect(await first).toBe('late')
  expect(inFlight.isFull(sender.address)).toBe(true)
  ends[1]?.('answered')
  expect(await second).toBe('answered')
  expect(inFlight.isFull(sender.address)).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})

it('the last quarter takes an address that sends few requests, up to one hundredth of the limit', async () => {
  const inFlight = createRequestsInFlight({ max: 200, logger: silentLogger })
  const send = (address: string) =>
    void inFlight.run({ address, credentials: address }, () => new Promise<never>(() => {}))
  for (const address of ['a', 'b', 'c']) for (let count = 0; count < 50; count += 1) send(address)
  const isFull = () => [inFlight.isFull('a'), inFlight.isFull('owner')]
  expect(isFull()).toEqual([true, false])
  send('owner')
  expect(isFull()).toEqual([true, false])
  send('owner')
  expect(isFull()).toEqual([true, true])
})
