import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOutgoing, type Outgoing } from '../../../src/http/outgoing/outgoing.ts'

let now = 0
let outgoing: Outgoing
/** Whether requests that begin now stay, until they are released. */
let stay = false
let releases: (() => void)[] = []
let requests = 0

beforeEach(() => {
  now = 1_000_000
  outgoing = createOutgoing({ now: () => now })
  outgoing.replaceConnections({
    async resolve() {
      if (stay) await new Promise<void>((resolve) => releases.push(resolve))
      return [{ address: '93.184.216.34', family: 4 }]
    },
    connect: () => {
      throw new Error('no connection')
    },
  })
})
afterEach(() => {
  for (const release of releases) release()
  releases = []
  stay = false
})

/** How many of `count` requests, each with a URL of its own, may begin. They end before this returns, or stay. */
async function begin(count: number, hostOf: (index: number) => string, sender?: string) {
  let begun = 0
  for (let index = 0; index < count; index += 1) {
    requests += 1
    const url = `https://${hostOf(index)}.example.com:${1024 + (requests % 9)}/${requests}`
    const ended = outgoing
      .fetchJson(url, { maxBytes: 100, budget: 'new', sender })
      .catch(({ message }: { message: string }) => message)
    const staying = new Promise((resolve) => setImmediate(resolve, 'stays'))
    const result = await (stay ? Promise.race([ended, staying]) : ended)
    if (result !== 'too many requests to other hosts are made at the moment') begun += 1
  }
  return begun
}

it('16 requests to different hosts run at once, and each end lets one more begin', async () => {
  stay = true
  expect(await begin(20, (index) => `host-${index}`)).toBe(16)
  releases.shift()?.()
  await new Promise(setImmediate)
  expect(await begin(2, (index) => `more-${index}`)).toBe(1)
})

it('4 requests to one host run at once, while other hosts are reached', async () => {
  stay = true
  expect(await begin(10, () => 'one')).toBe(4)
  expect(await begin(1, () => 'other')).toBe(1)
})

it('120 requests begin in a minute, and as many in the next', async () => {
  expect(await begin(1_000, (index) => `host-${index}`)).toBe(120)
  now += 59_999
  expect(await begin(1, () => 'other')).toBe(0)
  now += 1
  expect(await begin(1_000, (index) => `host-${index}`)).toBe(120)
})

it('30 requests to one host begin in a minute, while other hosts are reached', async () => {
  expect(await begin(100, () => 'one')).toBe(30)
  expect(await begin(1, () => 'other')).toBe(1)
  now += 60_000
  expect(await begin(100, () => 'one')).toBe(30)
})

it('requests that were rejected do not count', async () => {
  stay = true
  expect(await begin(4, () => 'one')).toBe(4)
  expect(await begin(500, () => 'one')).toBe(0)
  stay = false
  expect(await begin(200, (index) => `host-${index}`)).toBe(116)
})

it('a sender gets a quarter of what all may fetch, whatever the hosts, and others get the rest', async () => {
  const beginFrom = (sender: string, count: number) => begin(count, (index) => `${sender}-${index}`, sender)
  stay = true
  expect(await beginFrom('slow', 200)).toBe(4)
  stay = false
  expect(await beginFrom('one', 100)).toBe(30)
  expect(await beginFrom('other', 1)).toBe(1)
  now += 60_000
  expect(await beginFrom('one', 1)).toBe(1)
})
