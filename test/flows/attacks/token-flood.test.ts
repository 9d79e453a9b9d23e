import { describe, expect, it, vi } from 'vitest'
import { directly, from, MAX, SHARE, startLimited } from './limited-host.ts'

describe('the limit of token requests in flight', () => {
  it('one address has a quarter: beyond it 503 at once with Retry-After, and other addresses get tokens', async () => {
    const { host, warn, hold, waitFor } = await startLimited()
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

  it('wrong secrets beyond their limit wait for one another, and a right secret of the same address does not wait', async () => {
    const { host } = await startLimited({ gatehouse: { maxTokenRequests: 1000 } })
    const key = await host.createApiKey()
    const wrong = { ...key, client_secret: 'x'.repeat(43) }
    const address = from('192.0.2.1')
    // These requests use up the limit, and open the connections.
    await Promise.all(Array.from({ length: 101 }, () => directly(host, wrong, address)))
    const answered: number[] = []
    const send = async (client: typeof key) =>
      void answered.push((await directly(host, client, address)).status)
    await Promise.all([...Array.from({ length: 100 }, () => send(wrong)), send(key)])
    expect(answered.filter((status) => status === 429)).toHaveLength(100)
    expect(answered.indexOf(200)).toBeLessThan(80)
  })

  it('one client has a quarter, whatever its addresses; with a wrong secret, strangers do not use it up', async () => {
    const { host, hold, waitFor } = await startLimited()
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
    const { host, hold, waitFor } = await startLimited()
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
    const { host, hold, waitFor } = await startLimited()
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
})
