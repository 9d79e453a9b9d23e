// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import type { GatehouseOptions } from 'koa-gatehouse'
import { connect } from '../../support/host.ts'
import { describeEachStore } from '../../support/stores.ts'
import { browserOf, startManagement, type ManagementHost } from '../management/setup.ts'

const HOUR = 3600
const DAY = 24 * HOUR

describeEachStore('a new expiry and the tokens issued so far', (makeStore) => {
  const hosts: ManagementHost[] = []
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())))

  async function start(gatehouse: Partial<GatehouseOptions> = {}, data: string = randomUUID()) {
    const host = await startManagement({ store: makeStore(data), gatehouse })
    hosts.push(host)
    return { ...host, data }
  }
  async function expire(host: ManagementHost, path: string, seconds: number | null) {
    const at = new Date((Math.floor(Date.now() / 1000) + (seconds ?? 0)) * 1000).toISOString()
    const expiresAt = seconds === null ? null : at.replace('.000', '')
    expect((await host.api('acme').call(`PATCH ${path}`, { expiresAt })).status).toBe(200)
  }

  it('an expiry after the end of all tokens of an API key revokes none, an earlier one that they could outlive revokes all, a later one and none revoke nothing', async () => {
    const host = await start()
    const key = await host.createApiKey()
    const path = `/api-keys/${key.client_id}`
    const token = async () => String((await host.requestDirectToken(key)).body['access_token'])
    const status = async (jwt: string) => (await host.call('GET /invoices/list', jwt)).status
    const first = await token()
    await expire(host, path, 365 * DAY)
    expect(await status(first)).toBe(200)
    await expire(host, path, 11 * DAY)
    expect(await status(first)).toBe(200)
    await expire(host, path, 9 * DAY)
    expect(await status(first)).toBe(401)
    const second = await token()
    await expire(host, path, 9.5 * DAY)
    expect(await status(second)).toBe(200)
    await expire(host, path, null)
    expect(await status(second)).toBe(200)
  })

  it('the tokens of an application live shorter, so an expiry on the same day revokes none', async () => {
    const host = await start()
    const application = await host.createApplication()
    const path = `/applications/${application.client_id}`
    const tokens = await connect(host, application, { browser: browserOf(host, 'alice') })
    const status = async () => (await host.call('GET /invoices/list', tokens.access_token)).status
    await expire(host, path, 3 * HOUR)
    expect(await status()).toBe(200)
    await expire(host, path, 0.5 * HOUR)
    expect(await status()).toBe(401)
  })

  it('the tokens of another process count, which live longer than those of the process that sets the expiry', async () => {
    const short = await start({ lifetimes: { directAccessToken: DAY } })
    const { issuer, audience, data } = short
    const long = await start({ issuer, audience, lifetimes: { directAccessToken: 30 * DAY } }, data)
    const key = await short.createApiKey()
    const { body } = await long.requestDirectToken(key)
    const works = async (host: ManagementHost) =>
      (await host.call('GET /invoices/list', String(body['access_token']))).status === 200
    await expire(short, `/api-keys/${key.client_id}`, 31 * DAY)
    expect(await works(short)).toBe(true)
    await expire(short, `/api-keys/${key.client_id}`, 20 * DAY)
    expect(await works(short)).toBe(false)
    await expect.poll(() => works(long)).toBe(false)
  })
})
