import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createOutgoing, type Outgoing } from '../../../src/http/outgoing/outgoing.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { startDocumentHost, type DocumentHost } from '../../support/document-host.ts'

const NAMES = ['app.example.com', 'known.example.com', '*.many.example.com']
const URL_OF_DOCUMENT = 'https://app.example.com/client.json'
const NEW = { maxBytes: 5_000, budget: 'new' } as const
const KNOWN = { maxBytes: 5_000, budget: 'known' } as const

let host: DocumentHost
let outgoing: Outgoing
let now: number

beforeAll(async () => {
  host = await startDocumentHost(NAMES)
  host.serve('https://known.example.com/client.json', { known: true })
})
beforeEach(() => {
  host.forget()
  host.serve(URL_OF_DOCUMENT, { a: 1 })
  now = 1_000_000
  outgoing = createOutgoing({ now: () => now })
  outgoing.replaceConnections(host.connections)
})
afterAll(() => host.close())

const tooMany = expect.objectContaining({
  kind: 'unavailable',
  message: 'too many requests to other hosts are made at the moment',
})
const kindOf = (fetched: Promise<unknown>) =>
  fetched.then(
    () => 'fetched',
    (error: { kind: string; message: string }) => error.message,
  )

it('a URL that may not be requested is rejected, and no name is resolved', async () => {
  const urls = 'http://app.example.com/ https://127.0.0.1/ https://[::1]/ https://localhost/ nothing'
  for (const url of urls.split(' ')) {
    await expect(outgoing.fetchJson(url, NEW)).rejects.toMatchObject({ kind: 'rejected' })
  }
  expect([host.resolved, host.connected]).toEqual([[], []])
})

it('callers that want a URL at the same time share one request, and each gets the document', async () => {
  const callers = Array.from({ length: 1000 }, (_, index) =>
    outgoing.fetchJson(URL_OF_DOCUMENT, index % 2 ? NEW : KNOWN),
  )
  const documents = await Promise.all(callers)
  expect(new Set(documents.map(({ body }) => body))).toEqual(new Set([{ a: 1 }]))
  expect([host.resolved.length, host.connected.length, host.requests.length]).toEqual([1, 1, 1])
  // The 1000 callers cost one request of the budget: 29 more are left in this minute.
  const later: string[] = []
  for (let index = 0; index < 30; index += 1)
    later.push(await kindOf(outgoing.fetchJson(URL_OF_DOCUMENT, KNOWN)))
  expect(later.filter((result) => result === 'fetched')).toHaveLength(29)
})

it('callers that share a request all get its failure, and a caller with another maximum has its own request', async () => {
  host.serve(URL_OF_DOCUMENT, { a: 'a'.repeat(6_000) })
  const [first, second, third] = await Promise.allSettled([
    outgoing.fetchJson(URL_OF_DOCUMENT, NEW),
    outgoing.fetchJson(URL_OF_DOCUMENT, NEW),
    outgoing.fetchJson(URL_OF_DOCUMENT, { ...NEW, maxBytes: 64_000 }),
  ])
  const rejected = { status: 'rejected', reason: expect.objectContaining({ kind: 'rejected' }) }
  expect([first, second, third]).toEqual([
    rejected,
    rejected,
    expect.objectContaining({ status: 'fulfilled' }),
  ])
  expect(host.requests).toHaveLength(2)
})

it('a URL that failed is not requested again for a second, and the callers get the same failure', async () => {
  host.serve(URL_OF_DOCUMENT, (_request, response) => void response.writeHead(503).end())
  const failed = expect.objectContaining({
    kind: 'unavailable',
    message: 'the host answered with status 503 instead of 200',
  })
  await expect(outgoing.fetchJson(URL_OF_DOCUMENT, NEW)).rejects.toEqual(failed)
  host.serve(URL_OF_DOCUMENT, { a: 1 })
  now += 999
  await expect(outgoing.fetchJson(URL_OF_DOCUMENT, NEW)).rejects.toEqual(failed)
  await expect(outgoing.fetchJson(URL_OF_DOCUMENT, KNOWN)).rejects.toEqual(failed)
  expect(host.requests).toHaveLength(1)
  now += 1
  expect((await outgoing.fetchJson(URL_OF_DOCUMENT, NEW)).body).toEqual({ a: 1 })
  expect(host.requests).toHaveLength(2)
})

it('at most four requests to one host run at once, and a fifth is rejected and not queued', async () => {
  const answers: (() => void)[] = []
  const urls = Array.from({ length: 5 }, (_, index) => `https://app.example.com/${index}`)
  for (const url of urls) {
    host.serve(url, (_request, response) => {
      answers.push(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'))
    })
  }
  const running = urls.slice(0, 4).map((url) => outgoing.fetchJson(url, NEW))
  await expect(outgoing.fetchJson(urls[4]!, NEW)).rejects.toEqual(tooMany)
  await vi.waitFor(() => expect(answers).toHaveLength(4))
  for (const answer of answers) answer()
  await Promise.all(running)
  expect(host.requests).toHaveLength(4)
  // A URL that was not requested did not fail: it needs no pause.
  const last = outgoing.fetchJson(urls[4]!, NEW)
  await vi.waitFor(() => expect(answers).toHaveLength(5))
  answers[4]?.()
  expect((await last).body).toEqual({})
})

it('1,000 URLs of strangers at once lead to 16 requests, and a known URL is fetched meanwhile', async () => {
  const urls = Array.from(
    { length: 1000 },
    (_, index) => `https://host-${index}.many.example.com/client.json`,
  )
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  for (const url of urls) {
    const name = new URL(url).hostname
    host.addresses.set(name, () => held.then(() => ['93.184.216.34']))
  }
  const results = urls.map((url) => kindOf(outgoing.fetchJson(url, NEW)))
  expect((await outgoing.fetchJson('https://known.example.com/client.json', KNOWN)).body).toEqual({
    known: true,
  })
  release()
  const counts = new Map<string, number>()
  for (const result of await Promise.all(results)) counts.set(result, (counts.get(result) ?? 0) + 1)
  expect(Object.fromEntries(counts)).toEqual({
    'the host answered with status 404 instead of 200': 16,
    'too many requests to other hosts are made at the moment': 984,
  })
  expect(host.resolved).toHaveLength(17)
  expect(host.connected).toHaveLength(17)
  expect(host.requests).toHaveLength(17)
})

/** Makes requests end soon if they reach no host. */
function endSoon() {
  outgoing = createOutgoing({ now: () => now, timeoutMs: 1 })
  outgoing.replaceConnections(host.connections)
}

it('long URLs of strangers leave no memory behind', async () => {
  endSoon()
  await collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 2_400; index += 1) {
    // Each minute has 120 requests of its own.
    if (index % 400 === 0) now += 60_000
    const name = `host-${index}.many.example.com`
    if (index % 400 < 130) host.addresses.set(name, ['10.0.0.1'])
    await kindOf(outgoing.fetchJson(`https://${name}/${'a'.repeat(2_000)}${index}`, NEW))
    host.addresses.clear()
  }
  expect(host.resolved).toHaveLength(720)
  expect(host.connected).toEqual([])
  await collectGarbage()
  // The URLs alone have 4.8 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000)
})

it('strangers with a new URL each time get 120 requests in a minute, and the known budget stays whole', async () => {
  endSoon()
  for (const name of ['a', 'b', 'c', 'd', 'e']) host.addresses.set(`${name}.many.example.com`, ['10.0.0.1'])
  const results: string[] = []
  for (let index = 0; index < 300; index += 1) {
    const name = 'abcde'[index % 5]
    results.push(await kindOf(outgoing.fetchJson(`https://${name}.many.example.com/${index}`, NEW)))
  }
  expect(results.filter((result) => result.includes('cannot be reached'))).toHaveLength(120)
  expect(host.resolved).toHaveLength(120)
  expect(host.connected).toEqual([])
  expect(await kindOf(outgoing.fetchJson(URL_OF_DOCUMENT, KNOWN))).not.toContain('too many')
  now += 60_000
  expect(await kindOf(outgoing.fetchJson(URL_OF_DOCUMENT, NEW))).not.toContain('too many')
})

it('a client that names a host of others for its keys does not use up the requests to this host', async () => {
  for (let index = 0; index < 40; index += 1) {
    const url = `https://known.example.com/missing-${index}`
    await kindOf(outgoing.fetchJson(url, { ...KNOWN, shareOf: 'keys of evil.example.com' }))
  }
  expect(host.connected).toHaveLength(30)
  expect(await kindOf(outgoing.fetchJson('https://known.example.com/client.json', KNOWN))).toBe('fetched')
})

it('a resolver that hangs frees its place in the budget after the timeout', async () => {
  outgoing = createOutgoing({ now: () => now, timeoutMs: 50 })
  outgoing.replaceConnections(host.connections)
  const hang = (index: number) => {
    const name = `slow-${index}.many.example.com`
    host.addresses.set(name, () => new Promise(() => {}))
    return kindOf(outgoing.fetchJson(`https://${name}/`, NEW))
  }
  const first = Array.from({ length: 17 }, (_, index) => hang(index))
  expect(await first[16]).toBe('too many requests to other hosts are made at the moment')
  expect(new Set(await Promise.all(first.slice(0, 16)))).toEqual(
    new Set(['the host cannot be reached, or did not answer within 0.05 seconds']),
  )
  expect(await hang(17)).toBe('the host cannot be reached, or did not answer within 0.05 seconds')
  expect(host.connected).toEqual([])
})
