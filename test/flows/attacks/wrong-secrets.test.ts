// Also runs on: Redis
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHost, type AddressedHost } from './addressed-host.ts'
import { describeEachStore } from '../../support/stores.ts'

const WRONG = 'x'.repeat(43)

describeEachStore('wrong client secrets', (makeStore) => {
  const hosts: AddressedHost[] = []
  let data: string
  beforeEach(() => void (data = crypto.randomUUID()))
  afterEach(async () => {
    await Promise.all(hosts.splice(0).map((each) => each.close()))
  })

  async function start(): Promise<AddressedHost> {
    const host = await createHost(makeStore(data))
    hosts.push(host)
    return host
  }

  it.each(['token', 'introspect', 'revoke'] as const)(
    'beyond ten a minute of one client and address, %s answers 429 with Retry-After, and a right secret still passes',
    async (endpoint) => {
      const host = await start()
      const key = await host.createApiKey()
      const statuses: number[] = []
      for (let at = 0; at < 13; at += 1) {
        const { status, headers, body } = await host.post(
          endpoint,
          { ...key, client_secret: WRONG },
          '203.0.113.7',
        )
        statuses.push(status)
        if (status !== 429) continue
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
        expect(body['error']).toBe('invalid_client')
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429, 429])
      expect((await host.post('token', key, '203.0.113.7')).status).toBe(200)
      expect((await host.post(endpoint, { ...key, client_secret: WRONG }, '203.0.113.8')).status).toBe(401)
    },
  )

  it.each(['token', 'introspect', 'revoke'] as const)(
    'the limit at %s does not say whether a client exists',
    async (endpoint) => {
      const host = await start()
      const key = await host.createApiKey()
      const disabled = await host.createApiKey()
      await host.gatehouse.apiKeys.disable(disabled.client_id)
      const answers = []
      for (const client_id of [key.client_id, disabled.client_id, 'key_unknown']) {
        const statuses: number[] = []
        for (let at = 0; at < 12; at += 1) {
          const { status } = await host.post(endpoint, { client_id, client_secret: WRONG }, '203.0.113.7')
          statuses.push(status)
        }
        answers.push(statuses)
      }
      expect(answers).toEqual(answers.map(() => [...Array.from({ length: 10 }, () => 401), 429, 429]))
      expect((await host.post(endpoint, disabled, '203.0.113.7')).status).toBe(401)
    },
  )

  it.each(['/oauth2/revocations', '/oauth2/usage'])(
    '%s limits wrong secrets, records them, and checks the allowed addresses of a gateway',
    async (path) => {
      const host = await start()
      const created = await host.gatehouse.apiKeys.create({
        accountId: 'acme',
        name: 'A gateway',
        resourceServer: true,
        allowedAddresses: ['203.0.113.7'],
      })
      const { clientId } = created.apiKey
      const ask = async (clientSecret: string, address: string) => {
        const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
        const response = await fetch(host.issuer + path, {
          method: path.endsWith('usage') ? 'POST' : 'GET',
          headers: { 'X-Forwarded-For': address, authorization },
        })
        return [response.status, ((await response.json().catch(() => ({}))) as { error?: string }).error]
      }
      const answers = []
      for (let at = 0; at < 12; at += 1) answers.push(await ask(WRONG, '203.0.113.7'))
      expect(answers.slice(9)).toEqual([
        [401, 'invalid_client'],
        [429, 'invalid_client'],
        [429, 'invalid_client'],
      ])
      // The right secret passes; the usage that was sent is malformed.
      expect((await ask(created.clientSecret, '203.0.113.7'))[0]).toBe(path.endsWith('usage') ? 422 : 200)
      expect(await ask(created.clientSecret, '203.0.113.8')).toEqual([403, 'unauthorized_client'])
      await host.gatehouse.apiKeys.disable(clientId)
      expect(await ask(created.clientSecret, '203.0.113.7')).toEqual([401, 'invalid_client'])
      const { items } = await host.gatehouse.audit.list({ clientId, trail: 'failures' })
      expect(Object.fromEntries(items.map(({ name, count }) => [name, count]))).toEqual({
        'client_authentication.failed': 12,
        'token.rejected': 1,
      })
    },
  )

  it('an application with a wrong secret is limited at the token endpoint too', async () => {
    const host = await start()
    const application = await host.createApplication()
    const wrong = { ...application, client_secret: WRONG, grant_type: 'refresh_token', refresh_token: 'x' }
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) statuses.push((await host.post('token', wrong, '203.0.113.7')).status)
    expect(statuses.slice(9)).toEqual([401, 429, 429])
  })

  it('one address may send 100 wrong secrets a minute, for any clients', async () => {
    const host = await start()
    const key = await host.createApiKey()
    const statuses: number[] = []
    for (let at = 0; at < 103; at += 1) {
      const unknown = { client_id: `key_${at}`, client_secret: WRONG }
      statuses.push((await host.post('token', unknown, '203.0.113.7')).status)
    }
    expect(statuses.indexOf(429)).toBe(100)
    expect((await host.post('token', key, '203.0.113.7')).status).toBe(200)
    expect(
      (await host.post('token', { client_id: 'key_1', client_secret: WRONG }, '203.0.113.9')).status,
    ).toBe(401)
  })

  it('a second process rejects an address after its batch of a second', async () => {
    const [host, other] = [await start(), await start()]
    const key = await host.createApiKey()
    const wrong = { ...key, client_secret: WRONG }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    for (let at = 0; at < 12; at += 1) await host.post('token', wrong, '203.0.113.7')
    await vi.advanceTimersByTimeAsync(1000)
    for (let at = 0; at < 4; at += 1) {
      expect((await other.post('token', wrong, '203.0.113.7')).status).toBe(401)
    }
    await vi.advanceTimersByTimeAsync(1000)
    vi.useRealTimers()
    await expect.poll(async () => (await other.post('token', wrong, '203.0.113.7')).status).toBe(429)
    expect((await other.post('token', key, '203.0.113.7')).status).toBe(200)
  })

  it('a burst is one event, and one entry of the audit trail', async () => {
    const host = await start()
    const key = await host.createApiKey()
    const events: string[] = []
    host.gatehouse.on('client_authentication.failed', () => events.push('failed'))
    host.gatehouse.on('client_authentication.limited', ({ clientId, address }) =>
      events.push(`${clientId} ${address}`),
    )
    for (let at = 0; at < 30; at += 1)
      await host.post('token', { ...key, client_secret: WRONG }, '203.0.113.7')
    expect(events.filter((event) => event === 'failed')).toHaveLength(10)
    expect(events.filter((event) => event !== 'failed')).toEqual([`${key.client_id} 203.0.113.7`])
  })
})
