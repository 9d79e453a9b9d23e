// Also runs on: Koa 2
import Koa from 'koa'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createGateway } from 'koa-gatehouse/gateway'
import type { Health, Logger } from 'koa-gatehouse'
import { createTestIssuer } from 'koa-gatehouse/testing'
import { silentLogger } from '../../../src/host/logger.ts'
import { products } from '../../fixtures/products.ts'
import { startHost } from '../../support/host.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp()
})

/** Starts a host behind a proxy. @param settings properties of its app */
async function start(settings: Partial<Koa>) {
  const lines: string[] = []
  const logger: Logger = { ...silentLogger, warn: (_, message) => void lines.push(message) }
  const host = await startHost({ gatehouse: { logger } })
  cleanups.push(host.close)
  Object.assign(host.app, { proxy: true, ...settings })
  const { apiKey, clientSecret } = await host.gatehouse.apiKeys.create({
    accountId: 'acme',
    name: 'Office',
    products: ['invoices'],
    allowedAddresses: ['203.0.113.9', '2001:db8::/32'],
  })
  const key = { client_id: apiKey.clientId, client_secret: clientSecret, grant_type: 'client_credentials' }
  return { host, key, lines }
}

const from = (address: string) => ({ 'X-Forwarded-For': address })
const addressesIn = ({ checks }: Health) =>
  checks.filter(({ name }) => name === 'addresses').map(({ status }) => status)

it('an address with a port or in brackets is this address, for allowed addresses, limits and the audit trail', async () => {
  const { host, key, lines } = await start({ maxIpsCount: 1 })
  for (const address of ['203.0.113.9:51234', '[2001:db8::9]:51234', '[2001:db8::9]', '2001:db8::9:8']) {
    const { status, body } = await host.token(key, from(address))
    expect([address, status]).toEqual([address, 200])
    const authorization = `Bearer ${String(body['access_token'])}`
    const call = await fetch(`${host.audience}/invoices/list`, {
      headers: { authorization, ...from(address) },
    })
    expect([address, call.status]).toEqual([address, 200])
    const outside = { method: 'GET', url: '/api/invoices/list', headers: { authorization } }
    const outcome = await host.gatehouse.gateway.authenticate(outside, { address })
    expect([address, outcome]).toMatchObject([address, { ok: true }])
  }
  expect((await host.token(key, from('203.0.113.8:51234'))).body['error_description']).toContain(
    'not be used from 203.0.113.8;',
  )

  const statuses: number[] = []
  for (let port = 1; port <= 11; port += 1) {
    const wrong = { ...key, client_secret: 'wrong' }
    statuses.push((await host.token(wrong, from(`198.51.100.1:${port}`))).status)
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  const { items } = await host.gatehouse.audit.list({ trail: 'failures' })
  expect(new Set(items.map(({ address }) => address))).toEqual(new Set(['198.51.100.1']))
  await host.gatehouse.apiKeys.disable(key.client_id, { actor: 'anna', address: '[2001:db8::1]:80' })
  const changes = await host.gatehouse.audit.list({ limit: 1 })
  expect(changes.items).toMatchObject([{ actor: 'anna', address: '2001:db8::1' }])
  expect([lines, addressesIn(await host.gatehouse.health())]).toEqual([[], []])
})

it('a text that is no address is logged once, and health() warns', async () => {
  const { host, key, lines } = await start({ maxIpsCount: 1, proxyIpHeader: 'X-Client' })
  for (const text of ['unknown', '203.0.113.9_1']) await host.token(key, { 'X-Client': text })
  expect(lines).toEqual([expect.stringMatching(/is not an IP address.*`app\.proxyIpHeader`/s)])
  for (const each of [host.gatehouse, host.gatehouse.gateway]) {
    expect(addressesIn(await each.health())).toEqual(['warn'])
  }
})

it('a gateway without the service also warns of a text that is no address', async () => {
  const warned: string[] = []
  const logger: Logger = { ...silentLogger, warn: (_, message) => void warned.push(message) }
  const audience = 'https://example.com/api'
  const issuer = await createTestIssuer({ audience })
  const address = { issuer: issuer.issuer, audience }
  const atApi = createGateway({ ...address, products, logger })
  const outside = createGateway({ ...address, products, logger })
  const server = createServer(new Koa({ proxy: true }).use(atApi.middleware()).callback()).listen(0)
  cleanups.push(issuer.close, atApi.close, outside.close, () => server.close())
  const { port } = server.address() as AddressInfo
  await fetch(`http://localhost:${port}/api/invoices/list`, { headers: from('unknown') })
  const call = { method: 'GET', url: '/api/invoices/list', headers: {} }
  await outside.authenticate(call, { address: '203.0.113.9/32' })
  for (const gateway of [atApi, outside]) expect(addressesIn(await gateway.health())).toEqual(['warn'])
  expect(warned.filter((line) => line.includes('is not an IP address'))).toHaveLength(2)
})

it('several addresses without app.maxIpsCount are logged once, for the header that the app reads', async () => {
  const { host, key, lines } = await start({ proxyIpHeader: 'X-Client' })
  await host.token(key, { 'X-Client': '203.0.113.9', ...from('1.1.1.1, 2.2.2.2') })
  expect(lines).toEqual([])
  for (const _ of [1, 2]) await host.token(key, { 'X-Client': '1.1.1.1, 203.0.113.9' })
  expect(lines).toEqual([expect.stringContaining('set `app.maxIpsCount`')])

  const bounded = await start({ maxIpsCount: 2 })
  await bounded.host.token(bounded.key, from('1.1.1.1, 203.0.113.9'))
  expect(bounded.lines).toEqual([])
})
