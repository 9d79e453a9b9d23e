import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRequestsInFlight } from '../../../src/authorization-server/routing/requests-in-flight.ts'
import { silentLogger } from '../../../src/host/logger.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const sender = { address: '192.0.2.1', credentials: 'key secret' }

// Fixed bug: a callback of the host that never answered took a place for ever.
it('a request that is never answered has its place for 30 seconds', async () => {
  const inFlight = createRequestsInFlight({ max: 4, logger: silentLogger })
  const ends: ((answer: string) => void)[] = []
  const hung = () => new Promise<string>((resolve) => ends.push(resolve))
  const first = inFlight.run(sender, hung)
  vi.advanceTimersByTime(29_999)
  expect(await inFlight.run(sender, async () => 'answered')).toBeUndefined()
  expect(inFlight.isFull(sender.address)).toBe(true)
  vi.advanceTimersByTime(1)
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

it('what comes last begins one after the other, a millisecond apart, whatever is in flight, and everything else begins at once', async () => {
  const inFlight = createRequestsInFlight({ max: 1000, logger: silentLogger })
  const begun: string[] = []
  const send = (name: string, isLast: boolean) =>
    inFlight.run(
      { address: name, credentials: name, ...(isLast && { comesLast: async () => true }) },
      async () => void begun.push(name),
    )
  const startedAt = Date.now()
  const names = Array.from({ length: 100 }, (_, at) => `wrong ${at}`)
  const all = names.map((name) => send(name, true))
  await send('right', false)
  await send('another', false)
  expect(begun).toEqual(['right', 'another'])
  expect(inFlight.isFlood()).toBe(false)
  await Promise.all(all)
  expect(begun.slice(2)).toEqual(names)
  // Timers may be up to a millisecond early.
  expect(Date.now() - startedAt).toBeGreaterThan(50)
})
