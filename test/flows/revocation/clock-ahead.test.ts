import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { connect, startHost, type Host } from '../../support/host.ts'

const HOUR_MS = 3_600_000
const STEP =
  'the clock of this process was set forward, or the machine has slept: the revocations are read again'

describe('a process whose clock is set forward', () => {
  const hosts: Host[] = []
  const warn = vi.fn<(details: object, message: string) => void>()
  let host: Host
  let other: Host
  let store: Store
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const [memory, startedAt] = [memoryStore(), Date.now() - performance.now()]
    const inspect = async () => ({ checks: [], time: startedAt + performance.now() })
    store = { ...memory, inspect }
    const revocations = { whenStale: 'reject', pollIntervalSeconds: 60 } as const
    host = await startHost({ store, gatehouse: { revocations, logger: { ...silentLogger, warn } } })
    const { issuer, audience } = host
    other = await startHost({ store, gatehouse: { issuer, audience } })
    hosts.push(host, other)
    await Promise.all(hosts.map(({ gatehouse }) => gatehouse.ready()))
  })
  afterEach(async () => {
    vi.useRealTimers()
    warn.mockClear()
    await Promise.all(hosts.splice(0).map((each) => each.close()))
  })

  const setForward = (hours: number) => vi.setSystemTime(Date.now() + hours * HOUR_MS)
  const statusAt = async (at: Host, token: string) => (await at.call('GET /invoices/list', token)).status

  it("with whenStale: 'reject', calls are answered after the revocations were read again, and streams go on", async () => {
    const { body } = await host.requestDirectToken(await host.createApiKey())
    const token = String(body['access_token'])
    const headers = { authorization: `Bearer ${token}` }
    const outcome = await host.gatehouse.gateway.authenticate({
      method: 'GET',
      url: '/api/invoices/list',
      headers,
    })
    if (!outcome.ok) throw new Error(outcome.body)
    const ended = vi.fn()
    setForward(1)
    host.gatehouse.gateway.watch(outcome.principal, ended)
    const answers = await Promise.all([1, 2, 3].map(() => statusAt(host, token)))
    expect(answers).toEqual([200, 200, 200])
    expect(warn.mock.calls.filter(([, message]) => message === STEP)).toHaveLength(1)
    expect(ended).not.toHaveBeenCalled()
    const { checks } = await host.gatehouse.health()
    expect(checks.find(({ name }) => name === 'revocations')?.status).toBe('pass')
  })

  it.each(['tokens.revoke()', 'RFC 7009'] as const)(
    'a token that only the clock of this process calls expired is revoked by %s, in every process',
    async (way) => {
      const application = await host.createApplication()
      const { access_token: token } = await connect(host, application)
      expect(await statusAt(other, token)).toBe(200)
      setForward(2)
      expect(await statusAt(host, token)).toBe(401)
      if (way === 'tokens.revoke()') await host.gatehouse.tokens.revoke(token)
      else expect((await host.post('/oauth2/revoke', { ...application, token })).status).toBe(200)
      setForward(-2)
      await vi.waitFor(async () => expect(await statusAt(other, token)).toBe(401))
      // A process that starts now reads the revocation from the store.
      const { issuer, audience } = host
      const later = await startHost({ store: store, gatehouse: { issuer, audience } })
      hosts.push(later)
      expect(await statusAt(later, token)).toBe(401)
    },
  )
})
