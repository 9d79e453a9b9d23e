// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { connect, startHost, type Host } from '../../support/host.ts'
import { authorizePublic, connectPublic, createPublicApplication } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'

describeEachStore('the refresh tokens of public applications', (makeStore) => {
  const hosts: Host[] = []
  async function start(gatehouse: object = {}, data?: string): Promise<Host> {
    const options = { publicApplications: true, ...gatehouse }
    const started = await startHost({ store: makeStore(data), gatehouse: options })
    hosts.push(started)
    return started
  }
  /** Starts two processes on one store. Each test has its own, because it moves the clock. */
  async function startTwo(options: object = {}): Promise<[Host, Host]> {
    const data = randomUUID()
    const host = await start(options, data)
    return [host, await start({ ...options, issuer: host.issuer, audience: host.audience }, data)]
  }
  afterEach(async () => {
    vi.useRealTimers()
    await Promise.all(hosts.splice(0).map((each) => each.close()))
  })

  const refreshAt = (at: Host, client_id: string, token: unknown) =>
    at.token({ client_id, grant_type: 'refresh_token', refresh_token: String(token) })
  const isRejected = async (at: Host, client_id: string, token: unknown) => {
    const { status, body } = await refreshAt(at, client_id, token)
    expect([status, body['error']]).toEqual([400, 'invalid_grant'])
  }
  function freeze(): (seconds: number) => void {
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now })
    return (seconds) => void vi.setSystemTime(now + seconds * 1000)
  }

  it('for 30 seconds, the same token gives the same successor, also at another process and from another address', async () => {
    const [host, other] = await startTwo()
    const client_id = await createPublicApplication(host)
    const { refresh_token } = await connectPublic(host, client_id)
    const passTo = freeze()
    const first = await refreshAt(host, client_id, refresh_token)
    for (const seconds of [0, 10, 29]) {
      passTo(seconds)
      for (const at of [host, other]) {
        const again = await refreshAt(at, client_id, refresh_token)
        expect([again.status, again.body['refresh_token']]).toEqual([200, first.body['refresh_token']])
      }
    }
    expect((await refreshAt(other, client_id, first.body['refresh_token'])).status).toBe(200)
  })

  it('after the grace period, a second use revokes the family and its access tokens in all processes', async () => {
    const [host, other] = await startTwo({ refreshTokenGraceSeconds: 1 })
    const client_id = await createPublicApplication(host)
    const { refresh_token } = await connectPublic(host, client_id)
    const { body } = await refreshAt(host, client_id, refresh_token)
    // The clock of a store cannot be set.
    await delay(1100)
    await isRejected(other, client_id, refresh_token)
    await isRejected(host, client_id, body['refresh_token'])
    for (const at of [host, other]) {
      await vi.waitFor(async () => {
        expect((await at.call('GET /invoices/list', String(body['access_token']))).status).toBe(401)
      })
    }
  })

  it('the grace period ends after 30 seconds by default', async () => {
    const store = makeStore()
    // The clock of any other store cannot be set.
    if (!store.volatile) return
    const host = await startHost({ store, gatehouse: { publicApplications: true } })
    hosts.push(host)
    const client_id = await createPublicApplication(host)
    const { refresh_token } = await connectPublic(host, client_id)
    const passTo = freeze()
    expect((await refreshAt(host, client_id, refresh_token)).status).toBe(200)
    passTo(29.9)
    expect((await refreshAt(host, client_id, refresh_token)).status).toBe(200)
    passTo(30)
    await isRejected(host, client_id, refresh_token)
  })

  it('an older generation revokes the family at once', async () => {
    const host = await start()
    const client_id = await createPublicApplication(host)
    const { refresh_token } = await connectPublic(host, client_id)
    const first = await refreshAt(host, client_id, refresh_token)
    const second = await refreshAt(host, client_id, first.body['refresh_token'])
    await isRejected(host, client_id, refresh_token)
    await isRejected(host, client_id, second.body['refresh_token'])
  })

  it('an application with a secret on the same service has no grace period', async () => {
    const host = await start()
    const client = await host.createApplication()
    const { refresh_token } = await connect(host, client)
    expect((await host.refresh(client, refresh_token)).status).toBe(200)
    expect((await host.refresh(client, refresh_token)).status).toBe(400)
  })

  it('refreshTokenGraceSeconds replaces the 30 seconds, also by 0', async () => {
    const strict = await start({ refreshTokenGraceSeconds: 0 })
    const client_id = await createPublicApplication(strict)
    const { refresh_token } = await connectPublic(strict, client_id)
    expect((await refreshAt(strict, client_id, refresh_token)).status).toBe(200)
    await isRejected(strict, client_id, refresh_token)
  })

  it('lifetimes.publicRefreshToken may be longer than lifetimes.refreshToken', async () => {
    const days = 86_400
    const long = await start({ lifetimes: { refreshToken: 2 * days, publicRefreshToken: 30 * days } })
    const client_id = await createPublicApplication(long)
    const { refresh_token } = await connectPublic(long, client_id)
    const passTo = freeze()
    passTo(10 * days)
    expect((await refreshAt(long, client_id, refresh_token)).status).toBe(200)
  })

  it('lifetimes.publicRefreshToken gives them another lifetime, which the consent page shows', async () => {
    const days = 86_400
    const short = await start({ lifetimes: { refreshToken: 30 * days, publicRefreshToken: 2 * days } })
    const client_id = await createPublicApplication(short)
    const confidential = await short.createApplication()
    const { pages, exchange } = await authorizePublic(short, client_id)
    expect(pages[1]?.body).toContain('2 days')
    const tokens = (await short.token(exchange)).body
    const others = await connect(short, confidential)
    const passTo = freeze()
    passTo(2 * days + 60)
    await isRejected(short, client_id, tokens['refresh_token'])
    expect((await short.refresh(confidential, others.refresh_token)).status).toBe(200)
  })
})
