import { decodeProtectedHeader } from 'jose'
import { afterEach, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { faultyStore } from '../../support/faulty-store.ts'
import { connect, startHost, type Host, type HostOptions } from '../../support/host.ts'
import { exportRegistry, importRegistry } from '../../../src/backup.ts'
import { exported, linesOf, statusOf, tokenOf } from './setup.ts'

const hosts: Host[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function start(store: Store, options: HostOptions = {}): Promise<Host> {
  const host = await startHost({ store, ...options })
  hosts.push(host)
  await host.gatehouse.ready()
  return host
}

/**
 * Exports the registry of a host.
 *
 * @param change runs once, after the first exported client
 * @returns the exported lines
 */
async function exportedDuring({ gatehouse }: Host, change: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = []
  let isDone = false
  for await (const line of exportRegistry(gatehouse)) {
    lines.push(line)
    if (isDone || !line.startsWith('{"is":"client"')) continue
    isDone = true
    await change()
  }
  expect(isDone).toBe(true)
  return lines
}

const revocations = (lines: readonly string[]) =>
  linesOf('revocation', lines).map((line) => (JSON.parse(line) as { revocation: object }).revocation)

/** Closes the exporting host, and starts one with its address on an empty store, into which the lines are imported. */
async function moveFrom(host: Host, lines: readonly string[]): Promise<Host> {
  await hosts.pop()?.close()
  const next = await start(memoryStore(), { port: host.port })
  await importRegistry(next.gatehouse, lines)
  return next
}

it('an export contains the revocation of a client change that is still pending', async () => {
  const faulty = faultyStore(memoryStore())
  const host = await start(faulty.store)
  const [key, other] = [await host.createApiKey(), await host.createApiKey()]
  const token = await tokenOf(host, key)
  faulty.arm('add revocations:buckets', 'rejected', { thenAway: true })
  await expect(host.gatehouse.apiKeys.disable(key.client_id)).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_STORE_UNAVAILABLE' }),
  )
  faulty.comeBack()
  const lines = await exported(host)
  expect(revocations(lines)).toEqual([
    { of: 'client', id: key.client_id, below: 1, until: expect.any(Number) },
  ])
  const next = await moveFrom(host, lines)
  expect(await statusOf(next, token)).toBe(401)
  expect(await statusOf(next, await tokenOf(next, other))).toBe(200)
})

it('an export contains the revocations of a call of grants.revokeAll that is still pending', async () => {
  const faulty = faultyStore(memoryStore())
  const host = await start(faulty.store)
  const application = await host.createApplication()
  const tokens = await connect(host, application)
  const ofBob = await connect(host, application, { user: 'bob' })
  faulty.arm('set consent-version', 'unanswered', { thenAway: true })
  await expect(host.gatehouse.grants.revokeAll({ accountId: 'alice' })).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_STORE_UNAVAILABLE' }),
  )
  faulty.comeBack()
  const lines = await exported(host)
  expect(revocations(lines)).toEqual([{ of: 'grant', id: expect.any(String), until: expect.any(Number) }])
  const next = await moveFrom(host, lines)
  expect([await statusOf(next, tokens.access_token), await statusOf(next, ofBob.access_token)]).toEqual([
    401, 200,
  ])
})

it('a key that is revoked during the export signs nothing in the new store', async () => {
  const host = await start(memoryStore())
  const key = await host.createApiKey()
  const token = await tokenOf(host, key)
  const { kid = '' } = decodeProtectedHeader(token)
  const lines = await exportedDuring(host, () => host.gatehouse.signingKeys.revoke(kid))
  expect(linesOf('signing-keys', lines)).toHaveLength(2)
  expect(linesOf('signing-keys', await exported(host))).toHaveLength(1)
  const next = await moveFrom(host, lines)
  expect(await statusOf(next, token)).toBe(401)
  expect(await statusOf(next, await tokenOf(next, key))).toBe(200)
  expect((await next.gatehouse.signingKeys.list()).find((one) => one.kid === kid)).toMatchObject({
    state: 'revoked',
  })
})

it('a client that changes during the export gets valid tokens in the new store', async () => {
  const host = await start(memoryStore())
  const key = await host.createApiKey()
  const token = await tokenOf(host, key)
  const lines = await exportedDuring(host, async () => {
    await host.gatehouse.apiKeys.disable(key.client_id)
    await host.gatehouse.apiKeys.enable(key.client_id)
  })
  const next = await moveFrom(host, lines)
  expect(await statusOf(next, token)).toBe(401)
  // The file contains the revocation, so the first token request raises the epoch of the client. The second
  // request then gets a token with the raised epoch.
  await tokenOf(next, key)
  expect(await statusOf(next, await tokenOf(next, key))).toBe(200)
})

it('a second import keeps a client that was deleted in the old store after the first import, and the new store rejects its tokens', async () => {
  const host = await start(memoryStore())
  const [deleted, other] = [await host.createApiKey(), await host.createApiKey()]
  const next = await start(memoryStore())
  await importRegistry(next.gatehouse, await exported(host))
  const token = await tokenOf(next, deleted)
  expect(await statusOf(next, token)).toBe(200)
  await host.gatehouse.apiKeys.delete(deleted.client_id)
  const { conflicts } = await importRegistry(next.gatehouse, await exported(host))
  expect(conflicts).toEqual([deleted.client_id])
  expect(await next.gatehouse.apiKeys.find(deleted.client_id)).toMatchObject({ disabled: false })
  for (const one of [token, await tokenOf(next, deleted)]) expect(await statusOf(next, one)).toBe(401)
  expect(await statusOf(next, await tokenOf(next, other))).toBe(200)
})

it('products that change during the export do not make new tokens of the new store invalid', async () => {
  const { products } = await import('../../fixtures/products.ts')
  const less = { invoices: products.invoices }
  let current: object = products
  const store = memoryStore()
  const host = await start(store, { gatehouse: { products: (() => current) as () => typeof products } })
  const key = await host.createApiKey()
  const lines = await exportedDuring(host, async () => {
    current = less
    await host.gatehouse.catalog.reload()
    current = products
    await host.gatehouse.catalog.reload()
  })
  expect(linesOf('products', lines)).toHaveLength(2)
  const next = await start(memoryStore())
  await importRegistry(next.gatehouse, lines)
  const payments = await next.call('GET /payments/list', await tokenOf(next, key))
  expect(payments.status).toBe(200)
})

it('after an import, a revocation is kept for the longest token lifetime of the old store', async () => {
  const day = 86_400
  const host = await start(memoryStore(), { gatehouse: { lifetimes: { directAccessToken: 40 * day } } })
  const key = await host.createApiKey()
  const token = await tokenOf(host, key)
  const lines = await exported(host)
  const next = await moveFrom(host, lines)
  expect(await statusOf(next, token)).toBe(200)
  await next.gatehouse.apiKeys.disable(key.client_id)
  const [{ until } = { until: 0 }] = revocations(await exported(next)) as { until: number }[]
  expect(until - Date.now() / 1000).toBeGreaterThan(40 * day)
})
