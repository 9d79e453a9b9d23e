import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRevocationFeed } from '../../../../src/authorization-server/provider/endpoints/revocation-feed.ts'
import { hashSecret } from '../../../../src/clients/stored-secrets.ts'
import type { RevocationPage } from '../../../../src/revocation/revocation-source.ts'
import { acceptingGateways } from '../../../support/accepting-gateways.ts'
import { registryOf } from '../../../support/registry-of.ts'

const secret = 'a secret of a gateway'
const registry = await registryOf({ clientId: 'key', resourceServer: true }, [
  { hash: hashSecret(secret), createdAt: 1 },
])
const revoked = { of: 'token', id: 'jti', until: 1_900_000_000 } as const
const page = (cursor: string, over: Partial<RevocationPage> = {}): RevocationPage => ({
  revocations: [],
  cursor,
  more: false,
  ...over,
})

const read = vi.fn<(cursor: string | undefined) => Promise<RevocationPage>>()
let server: Server
let address: string
beforeEach(async () => {
  read.mockReset()
  const feed = createRevocationFeed({ ...acceptingGateways(registry), source: { read } })
  const app = new Koa()
  app.silent = true
  app.use((ctx) => feed(ctx))
  server = createServer(app.callback())
  await new Promise<void>((resolve) => server.listen(0, resolve))
  address = `http://localhost:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function ask(cursor?: string, headers: Record<string, string> = {}) {
  const authorization = `Basic ${Buffer.from(`key:${secret}`).toString('base64')}`
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ cursor }).toString()}`
  const response = await fetch(address + query, { headers: { authorization, ...headers } })
  const text = await response.text()
  return { status: response.status, etag: response.headers.get('etag'), text }
}

it('the revocation feed passes the cursor to its source unchanged, and treats an empty cursor and two cursors as absent', async () => {
  vi.spyOn(performance, 'now').mockReturnValue(10_000)
  read.mockResolvedValue(page('next'))
  for (const cursor of [undefined, '', 'a.b-c_é /+']) await ask(cursor)
  expect(read.mock.calls).toEqual([[undefined], ['a.b-c_é /+']])
  vi.spyOn(performance, 'now').mockReturnValue(20_000)
  const authorization = `Basic ${Buffer.from(`key:${secret}`).toString('base64')}`
  await fetch(`${address}?cursor=a&cursor=b`, { headers: { authorization } })
  expect(read.mock.calls.at(-1)).toEqual([undefined])
})

it('the revocation feed answers 304 while nothing is new, even if a proxy has turned the ETag into a weak ETag', async () => {
  read.mockImplementation(async () => page('same'))
  const { status, etag, text } = await ask('same')
  expect([status, JSON.parse(text)]).toEqual([200, { revocations: [], cursor: 'same', more: false }])
  for (const known of [etag!, `W/${etag!}`, `"other", W/${etag!}`]) {
    expect(await ask('same', { 'if-none-match': known })).toEqual({ status: 304, etag, text: '' })
  }
  expect((await ask('same', { 'if-none-match': '"other"' })).status).toBe(200)
})

it('a page with news has another ETag, and only the last page has one, so that every gateway reads all pages', async () => {
  read.mockResolvedValueOnce(page('one'))
  const { etag } = await ask('a')
  read.mockResolvedValueOnce(page('one', { revocations: [revoked] }))
  const news = await ask('b', { 'if-none-match': etag! })
  expect([news.status, JSON.parse(news.text).revocations]).toEqual([200, [revoked]])
  read.mockResolvedValueOnce(page('next', { more: true }))
  expect(await ask('d', { 'if-none-match': '"x"' })).toMatchObject({ status: 200, etag: null })
  read.mockResolvedValue(page('two'))
  const other = await ask('c', { 'if-none-match': etag! })
  expect([other.status, other.etag]).toEqual([200, expect.any(String)])
})

it('simultaneous requests with the same cursor share one read, and a later request reads again', async () => {
  const clock = vi.spyOn(performance, 'now')
  clock.mockReturnValue(10_000)
  read.mockImplementation(async () => page('next'))
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('tail')))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(read).toHaveBeenCalledTimes(1)
  await ask('other')
  expect(read).toHaveBeenCalledTimes(2)
  clock.mockReturnValue(10_101)
  await ask('tail')
  expect(read).toHaveBeenCalledTimes(3)
})

it('a failed read of the revocation feed is not shared with later requests', async () => {
  read.mockRejectedValueOnce(new Error('away'))
  expect((await ask('tail')).status).toBe(500)
  read.mockResolvedValue(page('next'))
  expect((await ask('tail')).status).toBe(200)
})
