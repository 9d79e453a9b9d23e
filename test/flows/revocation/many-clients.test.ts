// Also runs on: Redis
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Account } from 'koa-gatehouse'
import { startHost, type Host } from '../../support/host.ts'
import { importKeys } from '../../support/import-keys.ts'
import { pausingStore, type PausingStore } from '../../support/pausing-store.ts'
import { describeEachStore } from '../../support/stores.ts'
import { until } from '../../support/until.ts'

const COUNT = 450

describeEachStore('revoking the tokens of an account with many clients', (makeStore) => {
  let pausing: PausingStore
  let own: Host
  let other: Host
  let accounts: Map<string, Account>
  let clients: { client_id: string; client_secret: string }[]
  let tokens: string[]
  beforeEach(async () => {
    const data = `many clients ${Math.random()}`
    pausing = pausingStore(makeStore(data))
    accounts = new Map([['acme', { id: 'acme', kycLevel: 'verified' }]])
    own = await startHost({ store: pausing.store, accounts, gatehouse: { storeTimeoutMs: 20_000 } })
    other = await startHost({
      store: makeStore(data),
      accounts,
      gatehouse: { issuer: own.issuer, audience: own.audience },
    })
    const first = await own.createApiKey()
    const ids = await importKeys(own.gatehouse, first.client_id, COUNT - 1)
    const { client_secret } = first
    clients = [first, ...ids.map((client_id) => ({ client_id, client_secret }))]
    tokens = await Promise.all([0, 60, 210, COUNT - 1].map((at) => tokenOf(own, at)))
  })
  afterEach(() => Promise.all([own.close(), other.close()]))

  async function tokenOf(host: Host, at: number): Promise<string> {
    const { status, body } = await host.requestDirectToken(clients[at]!)
    expect(status).toBe(200)
    return String(body['access_token'])
  }
  const statuses = (host: Host) =>
    Promise.all(
      tokens.map(async (token) => {
        const call = {
          method: 'GET',
          url: '/api/invoices/list',
          headers: { authorization: `Bearer ${token}` },
        }
        const answer = await host.gatehouse.gateway.authenticate(call)
        return answer.ok ? 200 : answer.status
      }),
    )

  it.each([
    ['tokens.revokeAll()', () => own.gatehouse.tokens.revokeAll({ accountId: 'acme' })],
    [
      'accounts.changed() for an account that has ended',
      () => {
        accounts.delete('acme')
        return own.gatehouse.accounts.changed('acme')
      },
    ],
  ])(
    '%s rejects the tokens of all clients in every process before it changes the first client',
    async (_name, revoke) => {
      expect(await statuses(own)).toEqual([200, 200, 200, 200])
      expect(await statuses(other)).toEqual([200, 200, 200, 200])
      const pause = pausing.pauseBefore('replace client:')
      const revoked = revoke()
      expect(await pause.reached).toBe(true)
      expect(await statuses(own)).toEqual([401, 401, 401, 401])
      await until(async () => expect(await statuses(other)).toEqual([401, 401, 401, 401]))
      pause.end()
      expect(await revoked).toMatchObject({ clients: COUNT })
      expect(await statuses(own)).toEqual([401, 401, 401, 401])
    },
    60_000,
  )

  it('if a process stops before it changes the clients, their tokens stay rejected, and their next tokens are valid', async () => {
    const pause = pausing.pauseBefore('replace client:')
    const revoked = own.gatehouse.tokens.revokeAll({ accountId: 'acme' }).catch(() => {})
    expect(await pause.reached).toBe(true)
    await until(async () => expect(await statuses(other)).toEqual([401, 401, 401, 401]))
    // The first token request finds that the epoch of the client is too low, and raises it.
    await other.requestDirectToken(clients[COUNT - 1]!)
    tokens = [await tokenOf(other, COUNT - 1)]
    expect(await statuses(other)).toEqual([200])
    pause.end()
    await revoked
  }, 60_000)
})
