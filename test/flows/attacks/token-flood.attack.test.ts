// Also runs on: Redis
import { connect as connectSocket, type Socket } from 'node:net'
import type { Context, Next } from 'koa'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'

const MAX = 8
const SHARE = MAX / 4

const behindProxy = async ({ app }: Context, next: Next) => {
  app.proxy = true
  await next()
}
const from = (address: string) => ({ 'x-forwarded-for': address })

/** A host whose account look-ups wait while `hold()` is in force, so that token requests stay in flight. */
async function startLimited(options: HostOptions = {}) {
  let held: Promise<void> | undefined
  let waiting = 0
  const warn = vi.fn()
  const host = await startHost({
    above: [behindProxy],
    ...options,
    gatehouse: {
      maxTokenRequests: MAX,
      logger: { debug() {}, info() {}, warn, error() {} },
      accounts: {
        async find(id: string) {
          waiting += 1
          await held
          waiting -= 1
          return { id, kycLevel: 'verified' }
        },
        current: () => undefined,
        signInUrl: () => '/sign-in',
      },
      ...options.gatehouse,
    },
  })
  onTestFinished(host.close)
  return {
    host,
    warn,
    /** Keeps the requests waiting that look up an account from now on. @returns lets them go on */
    hold() {
      let resolve = () => {}
      held = new Promise<void>((done) => (resolve = done))
      onTestFinished(() => resolve())
      return () => {
        held = undefined
        resolve()
      }
    },
    waitFor: (count: number) => vi.waitFor(() => expect(waiting).toBe(count), { timeout: 20_000 }),
  }
}

const directly = (host: Host, key: Record<string, string>, headers: Record<string, string>) =>
  host.token({ grant_type: 'client_credentials', ...key }, headers)

describeEachStore('the limit of token requests in flight', (makeStore) => {
  it('one address has a quarter: beyond it 503 at once with Retry-After, and other addresses get tokens', async () => {
    const { host, warn, hold, waitFor } = await startLimited({ store: makeStore() })
    const keys = await Promise.all(Array.from({ length: SHARE + 2 }, () => host.createApiKey()))
    const release = hold()
    const pending = keys.slice(0, SHARE).map((key) => directly(host, key, from('2001:db8::1')))
    await waitFor(SHARE)
    const rejected = vi.fn()
    host.gatehouse.on('token.rejected', rejected)
    // The same /64.
    const answer = await directly(host, keys[SHARE]!, from('2001:db8::ffff:1'))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'too many requests at once; try again',
    })
    await directly(host, keys[SHARE]!, from('2001:db8::1'))
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]).toEqual([
      { address: '2001:db8:0:0::/64', maxTokenRequests: MAX },
      expect.stringContaining('app.proxy'),
    ])
    expect(rejected).not.toHaveBeenCalled()

    const elsewhere = directly(host, keys[SHARE + 1]!, from('192.0.2.1'))
    await waitFor(SHARE + 1)
    release()
    const statuses = (await Promise.all([...pending, elsewhere])).map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200])
    expect((await directly(host, keys[SHARE]!, from('2001:db8::1'))).status).toBe(200)
  })

  it('one client has a quarter, whatever its addresses; with a wrong secret, strangers do not use it up', async () => {
    const { host, hold, waitFor } = await startLimited({ store: makeStore() })
    const [key, other] = [await host.createApiKey(), await host.createApiKey()]
    const release = hold()
    const pending = Array.from({ length: SHARE }, (_, at) => directly(host, key, from(`192.0.2.${at}`)))
    await waitFor(SHARE)
    expect((await directly(host, key, from('192.0.2.100'))).status).toBe(503)
    const wrong = await directly(host, { ...key, client_secret: 'x'.repeat(43) }, from('192.0.2.101'))
    expect(wrong.status).toBe(401)
    const ofOther = directly(host, other, from('192.0.2.102'))
    await waitFor(SHARE + 1)
    release()
    expect((await Promise.all([...pending, ofOther])).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('all addresses and clients together have the whole limit, at all endpoints where clients authenticate', async () => {
    const { host, hold, waitFor } = await startLimited({ store: makeStore() })
    const keys = await Promise.all(Array.from({ length: MAX + 1 }, () => host.createApiKey()))
    const release = hold()
    const pending = keys.slice(0, MAX).map((key, at) => directly(host, key, from(`192.0.2.${at}`)))
    await waitFor(MAX)
    for (const endpoint of ['token', 'revoke', 'introspect']) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', token: 'x', ...keys[MAX]! })
      const headers = from('192.0.2.100')
      const answer = await fetch(`${host.issuer}/oauth2/${endpoint}`, { method: 'POST', body, headers })
      expect([endpoint, answer.status]).toEqual([endpoint, 503])
    }
    release()
    expect((await Promise.all(pending)).every(({ status }) => status === 200)).toBe(true)
    expect((await directly(host, keys[MAX]!, from('192.0.2.100'))).status).toBe(200)
  })

  it('addresses that send many requests fill three quarters, and the last quarter is for other addresses', async () => {
    const { host, hold, waitFor } = await startLimited({ store: makeStore() })
    const keys = await Promise.all(Array.from({ length: MAX }, () => host.createApiKey()))
    const send = (key: number, address: number) => directly(host, keys[key] ?? {}, from(`192.0.2.${address}`))
    const release = hold()
    const pending = Array.from({ length: MAX - SHARE }, (_, at) => send(at, Math.floor(at / SHARE)))
    await waitFor(MAX - SHARE)
    const ofOwner = send(MAX - 1, 100)
    await waitFor(MAX - SHARE + 1)
    expect((await send(MAX - 2, 100)).status).toBe(503)
    release()
    expect((await Promise.all([...pending, ofOwner])).every(({ status }) => status === 200)).toBe(true)
  })

  it('floods with right and with wrong secrets: an owner elsewhere gets every token, and API calls are answered', async () => {
    const { host } = await startLimited({ store: makeStore() })
    const [owner, other] = [await host.createApiKey(), await host.createApiKey()]
    const { body } = await directly(host, owner, from('192.0.2.1'))
    const headers = { authorization: `Bearer ${String(body.access_token)}` }
    const statuses = { right: new Set<number>(), wrong: new Set<number>() }
    let isOver = false
    const flood = async (kind: 'right' | 'wrong', key: Record<string, string>, address: string) => {
      while (!isOver) statuses[kind].add((await directly(host, key, from(address))).status)
    }
    const wrong = { ...owner, client_secret: 'x'.repeat(43) }
    const floods = Array.from({ length: 20 }, () => [
      flood('right', other, '198.51.100.1'),
      flood('wrong', wrong, '198.51.100.2'),
    ])
    for (let count = 0; count < 20; count += 1) {
      expect((await directly(host, owner, from('192.0.2.1'))).status).toBe(200)
      expect((await fetch(`${host.audience}/invoices/1`, { headers })).status).toBe(200)
    }
    isOver = true
    await Promise.all(floods.flat())
    expect(statuses.right).toEqual(new Set([200, 503]))
    // A wrong secret may be rejected before the next request arrives, so that none is beyond the limit.
    expect([...statuses.wrong].filter((status) => status !== 503)).toEqual([401, 429])
  })
})

describe('requests beyond the limit', () => {
  const LOOPBACK = '127.0.0.1'

  /** Sends a request line, headers and a part of the form, and keeps the connection open. */
  async function send(host: Host, length: number, form: string, headers: readonly string[] = []) {
    const { port } = new URL(host.issuer)
    const socket = connectSocket({ port: Number(port), host: '127.0.0.1' })
    onTestFinished(() => void socket.destroy())
    socket.setEncoding('latin1')
    let received = ''
    socket.on('data', (chunk: string) => (received += chunk))
    const path = `${new URL(host.issuer).pathname}/oauth2/token`
    const lines = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/x-www-form-urlencoded']
    socket.write([...lines, `Content-Length: ${length}`, ...headers, '', form].join('\r\n'))
    return { socket, status: () => vi.waitFor(() => statusOf(received), { timeout: 20_000 }) }
  }

  function statusOf(received: string): string {
    const status = /^HTTP\/1\.1 (\d+)/.exec(received)?.[1]
    if (status === undefined) throw new Error('no response yet')
    return status
  }

  it('are rejected before their form is read, and a form that arrives slowly takes no place', async () => {
    const { host, hold, waitFor } = await startLimited()
    const keys = await Promise.all(Array.from({ length: SHARE }, () => host.createApiKey()))
    for (let count = 0; count <= MAX; count += 1) await send(host, 1000, 'grant_type=')
    const release = hold()
    const pending = keys.map((key) => directly(host, key, from('127.0.0.1')))
    await waitFor(SHARE)
    const { status } = await send(host, 1000, 'grant_type=', ['X-Forwarded-For: 127.0.0.1'])
    expect(await status()).toBe('503')
    release()
    await Promise.all(pending)
  })

  it.each([
    ['of a client that is connected directly is not read for a while', LOOPBACK, [], true],
    ['of a proxy is read', '::ffff:10.1.2.3', ['X-Forwarded-For: 192.0.2.1'], false],
    ['of a proxy that names no client is read', 'fd00::1', ['X-Forwarded-Proto: https'], false],
    ['of a proxy with a header of nginx is read', LOOPBACK, ['X-Real-IP: 192.0.2.1'], false],
    ['of a stranger with the header of a proxy is not read for a while', '203.0.113.1', ['Via: 1.1 x'], true],
  ])('the connection %s', async (_, remoteAddress, headers, isPaused) => {
    const sockets: Socket[] = []
    const paused: Socket[] = []
    const { host, hold, waitFor } = await startLimited({ above: [] })
    host.server.on('connection', (socket: Socket) => {
      sockets.push(socket)
      socket.on('pause', () => paused.push(socket))
      Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
    })
    const keys = await Promise.all(Array.from({ length: SHARE }, () => host.createApiKey()))
    const release = hold()
    const pending = keys.map((key) => directly(host, key, {}))
    await waitFor(SHARE)
    const { socket, status } = await send(host, 1, 'x', headers)
    expect(await status()).toBe('503')
    const own = sockets.find(({ remotePort }) => remotePort === socket.localPort)
    if (isPaused) await vi.waitFor(() => expect(paused).toContain(own), { timeout: 20_000 })
    const answer = new Promise<string>((resolve) => socket.once('data', resolve))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await answer).toContain('HTTP/1.1')
    expect(paused.includes(own!)).toBe(isPaused)
    release()
    await Promise.all(pending)
  })
})
