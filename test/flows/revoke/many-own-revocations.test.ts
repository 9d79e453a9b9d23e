// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { createRevocationLog } from '../../../src/revocation/revocation-log.ts'
import { startHost, type Host } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { authorizePublic, createPublicApplication, LOOPBACK } from '../../support/public-application.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

const MAX = 6

describeEachStore('a client that revokes many of its own access tokens', (makeStore) => {
  let data: string
  const hosts: Host[] = []
  beforeEach(() => {
    data = randomUUID()
  })
  afterEach(async () => void (await Promise.all(hosts.splice(0).map((host) => host.close()))))

  /** Starts a process of one service: all processes have the same store, issuer and audience. */
  async function start(options: object = {}): Promise<Host> {
    const [first] = hosts
    const same = first && { issuer: first.issuer, audience: first.audience }
    const gatehouse = { maxRevocationsPerClient: MAX, ...same, ...options }
    const host = await startHost({ store: makeStore(data), gatehouse })
    await host.gatehouse.ready()
    hosts.push(host)
    return host
  }

  async function mint(host: Host, key: Client): Promise<string> {
    const { status, body } = await host.requestDirectToken(key)
    expect(status).toBe(200)
    return String(body['access_token'])
  }

  async function revoke(host: Host, client: Partial<Client>, token: string): Promise<void> {
    const form = { ...client, token }
    expect((await host.post('/oauth2/revoke', form, { 'User-Agent': 'sdk/1' })).status).toBe(200)
  }

  async function revokeMany(host: Host, key: Client, count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) await revoke(host, key, await mint(host, key))
  }

  const isValid = async (host: Host, token: string) =>
    (await host.call('GET /invoices/list', token)).status === 200

  /** The revocations that the store keeps, without those that newly started processes need no more. */
  async function stored(): Promise<number> {
    let count = 0
    for await (const page of createRevocationLog(makeStore(data)).inForce()) count += page.length
    return count
  }

  const isChange = ({ change }: AuditEntry) => change === 'tokens.revoked'

  it('beyond maxRevocationsPerClient, all access tokens of the client are revoked by one revocation, and the count begins again', async () => {
    const host = await start()
    const [key, other] = [await host.createApiKey(), await host.createApiKey()]
    const [before, others] = [await mint(host, key), await mint(host, other)]
    const events: object[] = []
    host.gatehouse.on('client.changed', (event) => events.push(event))

    await revokeMany(host, key, MAX)
    expect(await isValid(host, before)).toBe(true)
    expect(await stored()).toBe(MAX)
    await revokeMany(host, key, 1)
    expect(await isValid(host, before)).toBe(false)
    expect(await stored()).toBe(1)
    expect((await host.gatehouse.health()).revocations).toMatchObject({ count: 1 })
    expect(await isValid(host, others)).toBe(true)
    const after = await mint(host, key)
    expect(await isValid(host, after)).toBe(true)
    expect(events).toEqual([expect.objectContaining({ change: 'tokens.revoked', clientId: key.client_id })])
    const { items } = await host.gatehouse.audit.list({ clientId: key.client_id, limit: 500 })
    expect(items.filter(isChange)).toEqual([
      expect.objectContaining({
        accountId: 'acme',
        reason: 'client-revoked-too-many-tokens',
        address: '127.0.0.1',
        userAgent: 'sdk/1',
      }),
    ])

    await revokeMany(host, key, MAX)
    expect(await isValid(host, after)).toBe(true)
    await revokeMany(host, key, 4 * MAX)
    expect(await stored()).toBeLessThanOrEqual(MAX + 1)
    expect((await host.gatehouse.health()).revocations.count).toBeLessThanOrEqual(MAX + 1)
  })

  it('requests at the same time do not exceed the bound either', async () => {
    const host = await start()
    const key = await host.createApiKey()
    for (let round = 0; round < 4; round += 1) {
      const tokens = await Promise.all(Array.from({ length: MAX }, () => mint(host, key)))
      await Promise.all(tokens.map((token) => revoke(host, key, token)))
      for (const token of tokens) expect(await isValid(host, token)).toBe(false)
    }
    expect(await stored()).toBeLessThanOrEqual(MAX + 1)
    expect((await host.gatehouse.health()).revocations.count).toBeLessThanOrEqual(MAX + 1)
    expect(await isValid(host, await mint(host, key))).toBe(true)
  })

  it('a person who revokes more tokens of one grant than a hundredth of the bound loses this grant, and other people lose nothing', async () => {
    const host = await start({ maxRevocationsPerClient: 250, publicApplications: true })
    const clients = [
      { client_id: await createPublicApplication(host) },
      await host.createApplication({ redirectUris: [LOOPBACK] }),
    ]
    for (const client of clients) {
      const connectAs = async (user: string) => {
        const { exchange } = await authorizePublic(host, client.client_id, { user, redirect_uri: LOOPBACK })
        return (await host.token({ ...exchange, ...client })).body
      }
      const refresh = (body: object) =>
        host.token({
          ...client,
          grant_type: 'refresh_token',
          refresh_token: String(Reflect.get(body, 'refresh_token')),
        })
      const [alice, elsewhere] = [await connectAs('alice'), await connectAs('bob')]
      let bob = await connectAs('bob')
      const tokens = [String(bob['access_token'])]
      while (tokens.length < 5) {
        ;({ body: bob } = await refresh(bob))
        tokens.push(String(bob['access_token']))
      }
      const before = await stored()
      await Promise.all(tokens.slice(0, 3).map((token) => revoke(host, client, token)))
      expect([await stored(), await isValid(host, tokens[4] ?? '')]).toEqual([before + 3, true])
      await revoke(host, client, tokens[3] ?? '')
      await revoke(host, client, tokens[4] ?? '')
      expect(await isValid(host, tokens[4] ?? '')).toBe(false)
      expect((await refresh(bob)).status).toBe(400)
      expect(await stored()).toBe(before + 4)
      for (const other of [alice, elsewhere]) {
        expect(await isValid(host, String(other['access_token']))).toBe(true)
        expect((await refresh(other)).status).toBe(200)
      }
      const { items } = await host.gatehouse.audit.list({ clientId: client.client_id, limit: 500 })
      expect(items.filter(({ reason }) => reason === 'client-revoked-too-many-tokens')).toEqual([
        expect.objectContaining({ name: 'grant.revoked', accountId: 'bob' }),
      ])
    }
  })

  describe('in two processes', () => {
    it('the revocations of all processes count together, also in a process that starts later', async () => {
      const [one, two] = [await start(), await start()]
      const key = await one.createApiKey()
      const before = await mint(one, key)
      await revokeMany(one, key, MAX / 2)
      await revokeMany(two, key, MAX / 2)
      await until(async () => expect((await one.gatehouse.health()).revocations.count).toBe(MAX))
      const three = await start()
      expect(await isValid(three, before)).toBe(true)
      await revokeMany(three, key, 1)
      for (const host of [one, two, three]) {
        await until(async () => {
          expect(await isValid(host, before)).toBe(false)
          expect((await host.gatehouse.health()).revocations.count).toBe(1)
        })
      }
      expect(await stored()).toBe(1)
    })
  })
})
