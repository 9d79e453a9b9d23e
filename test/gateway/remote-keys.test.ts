import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errors, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../src/host/logger.ts'
import { remoteKeys, type RemoteKeys } from '../../src/gateway/remote-keys.ts'
import { createTokenVerifier, type VerifyToken } from '../../src/gateway/verify-token.ts'
import { createTestGateway } from './support/api.ts'
import { AUDIENCE, createTokenIssuer, ISSUER, type TokenIssuer } from './support/token-issuer.ts'

let server: Server
let port: number
let published: JWK[]
let answer: { status: number; body: string } | 'hang' | undefined
let requests: number
let first: TokenIssuer
let second: TokenIssuer
let keys: RemoteKeys
let verify: VerifyToken
const warn = vi.fn()
const info = vi.fn()
const debug = vi.fn()

const listen = () => new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
const stopServer = () =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
const advanceClock = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  ;[first, second] = [await createTokenIssuer('key-1'), await createTokenIssuer('key-2')]
  ;[published, answer, requests, port] = [[first.publicJwk], undefined, 0, 0]
  warn.mockClear()
  info.mockClear()
  debug.mockClear()
  server = createServer((_request, response) => {
    requests += 1
    if (answer === 'hang') return
    response.writeHead(answer?.status ?? 200, { 'Content-Type': 'application/jwk-set+json' })
    response.end(answer?.body ?? JSON.stringify({ keys: published }))
  })
  await listen()
  port = (server.address() as AddressInfo).port
  keys = remoteKeys({
    jwksUri: `http://127.0.0.1:${port}/jwks`,
    jwksCacheSeconds: 600,
    logger: { ...silentLogger, warn, info, debug },
  })
  verify = createTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, getKey: keys.getKey })
})
afterEach(async () => {
  vi.useRealTimers()
  keys.close()
  await stopServer()
})

const good = expect.objectContaining({ mode: 'direct' })
const unknownKey = { problem: 'unknown-key' }
const notReady = expect.objectContaining({ code: 'ERR_NOT_READY', status: 503 })

describe('the remote keys', () => {
  it('remote keys are fetched once, on first use', async () => {
    expect(requests).toBe(0)
    const tokens = await Promise.all([first.mint(), first.mint(), first.mint()])
    expect(await Promise.all(tokens.map((token) => verify(token)))).toEqual([good, good, good])
    await keys.ready()
    expect(requests).toBe(1)
  })

  it('remote keys are refetched for an unknown key, at most once in 30 seconds', async () => {
    expect(await verify(await first.mint())).toEqual(good)
    expect(await verify(await second.mint())).toEqual(unknownKey)
    published = [first.publicJwk, second.publicJwk]
    expect(await verify(await second.mint())).toEqual(unknownKey)
    expect(requests).toBe(1)
    advanceClock(30_000)
    expect(await verify(await second.mint())).toEqual(good)
    expect(requests).toBe(2)
    const stranger = await createTokenIssuer('key-3')
    for (let i = 0; i < 20; i += 1) expect(await verify(await stranger.mint())).toEqual(unknownKey)
    expect(requests).toBe(2)
  })

  it('fetched keys stay in use while the authorization service is unavailable', async () => {
    await keys.ready()
    await stopServer()
    advanceClock(7 * 24 * 3_600_000)
    expect(await verify(await first.mint())).toEqual(good)
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1))
    expect(await verify(await first.mint())).toEqual(good)
    advanceClock(60_000)
    expect(await verify(await first.mint())).toEqual(good)
    await listen()
    advanceClock(60_000)
    published = [second.publicJwk]
    // On a busy machine the fetch may take longer than a token with an unknown key waits.
    await vi.waitFor(async () => expect(await verify(await second.mint())).toEqual(good), 20_000)
    expect(info).toHaveBeenCalledTimes(1)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('remote keys are refetched in the background, so that a key that is no longer published is dropped', async () => {
    await keys.ready()
    published = [second.publicJwk]
    advanceClock(599_000)
    expect(await verify(await first.mint())).toEqual(good)
    expect(requests).toBe(1)
    advanceClock(1_000)
    expect(await verify(await first.mint())).toEqual(good)
    await vi.waitFor(() => expect(requests).toBe(2))
    await vi.waitFor(async () => expect(await verify(await first.mint())).toEqual(unknownKey))
    expect(requests).toBe(2)
  })

  it('ready() and verifying a token reject with ERR_NOT_READY until the keys can be fetched', async () => {
    await stopServer()
    await expect(keys.ready()).rejects.toEqual(notReady)
    await expect(verify(await first.mint())).rejects.toEqual(notReady)
    await listen()
    await expect(verify(await first.mint())).rejects.toEqual(notReady)
    expect(requests).toBe(0)
    advanceClock(1_000)
    expect(await verify(await first.mint())).toEqual(good)
  })

  it('tokens with an invented key id join one fetch, wait at most a second for it, and are then rejected', async () => {
    await keys.ready()
    advanceClock(31_000)
    answer = 'hang'
    const stranger = await createTokenIssuer('key-3')
    const tokens = await Promise.all(Array.from({ length: 20 }, () => stranger.mint()))
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() })
    const verified = Promise.all(tokens.map((token) => verify(token)))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await verified).toEqual(tokens.map(() => unknownKey))
    // The fetch itself goes on: its timeout of two seconds is not over.
    await vi.waitFor(() => expect([requests, warn.mock.calls.length]).toEqual([2, 0]))
    expect(await verify(await first.mint())).toEqual(good)
  })

  it('during an outage a token with an invented key id gets 401 and is logged at debug only, and a new key is found after the outage', async () => {
    await keys.ready()
    await stopServer()
    advanceClock(31_000)
    const logger = { debug: vi.fn(), info, warn: vi.fn(), error: vi.fn() }
    const { gateway } = await createTestGateway({ issuer: ISSUER, getKey: keys.getKey, logger })
    await gateway.ready()
    const token = await second.mint()
    const call = { method: 'GET', url: '/api/invoices/list', headers: { authorization: `Bearer ${token}` } }
    for (let i = 0; i < 5; i += 1) expect(await gateway.authenticate(call)).toMatchObject({ status: 401 })
    expect([logger.warn.mock.calls, logger.error.mock.calls, warn.mock.calls.length]).toEqual([[], [], 1])
    expect(debug).toHaveBeenCalledTimes(5)
    published = [first.publicJwk, second.publicJwk]
    await listen()
    advanceClock(1_000)
    expect(await gateway.authenticate(call)).toMatchObject({ ok: true })
  })

  it('an answer that is no key set with keys is rejected, and does not replace the fetched keys', async () => {
    const wrong = [
      { status: 500, body: '{"keys":[]}' },
      { status: 302, body: '' },
      { status: 200, body: 'not json' },
      { status: 200, body: '{}' },
      { status: 200, body: '{"keys":[]}' },
      { status: 200, body: '{"keys":{}}' },
      { status: 200, body: '[]' },
      { status: 200, body: '{"keys":[7]}' },
    ]
    for (const bad of wrong) {
      answer = bad
      await expect(keys.ready(), JSON.stringify(bad)).rejects.toEqual(notReady)
      advanceClock(1_000)
    }
    answer = undefined
    await keys.ready()
    for (const bad of wrong) {
      answer = bad
      const before = requests
      advanceClock(600_000)
      expect(await verify(await first.mint())).toEqual(good)
      await vi.waitFor(() => expect(requests).toBe(before + 1))
      expect(await verify(await first.mint()), JSON.stringify(bad)).toEqual(good)
    }
  })

  it('fetching the keys fails after two seconds', async () => {
    answer = 'hang'
    const timeout = new AbortController()
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal)
    const rejected = expect(keys.ready()).rejects.toEqual(notReady)
    await vi.waitFor(() => expect(requests).toBe(1))
    expect(timeouts.mock.calls).toEqual([[2_000]])
    timeouts.mockRestore()
    timeout.abort(new DOMException('the time is over', 'TimeoutError'))
    await rejected
  })

  it('keys are not fetched after close()', async () => {
    answer = 'hang'
    const waiting = expect(keys.ready()).rejects.toBeInstanceOf(Error)
    await vi.waitFor(() => expect(requests).toBe(1))
    keys.close()
    await waiting
    await expect(keys.ready()).rejects.toHaveProperty('code')
    expect(requests).toBe(1)
  })

  it('getKey() rejects with JWKSNoMatchingKey of jose for an unknown key', async () => {
    await expect(
      keys.getKey({ alg: 'ES256', kid: 'x' }, { payload: '', signature: '' }),
    ).rejects.toBeInstanceOf(errors.JWKSNoMatchingKey)
  })
})
