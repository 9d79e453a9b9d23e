import { decodeJwt } from 'jose'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import type { Client } from '../../support/host-requests.ts'
import { startHost, type Host } from '../../support/host.ts'
import { importRegistry } from '../../../src/backup.ts'
import { exported, tokenOf } from './setup.ts'

const hosts: Host[] = []
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

async function start(store: Store): Promise<Host> {
  const host = await startHost({ store })
  hosts.push(host)
  await host.gatehouse.ready()
  return host
}

/** The epoch of the client in a token that this process issues now. */
const epochAt = async (host: Host, key: Client) => decodeJwt(await tokenOf(host, key))['access_epoch']

it('an import that revokes the tokens of an existing API key raises the epoch of the key in every process', async () => {
  const [old, next] = [memoryStore(), memoryStore()]
  const before = await start(old)
  const key = await before.createApiKey()
  const [one, other] = [await start(next), await start(next)]
  await importRegistry(one.gatehouse, await exported(before))
  expect([await epochAt(one, key), await epochAt(other, key)]).toEqual([0, 0])

  await before.gatehouse.tokens.revokeAll({ clientId: key.client_id })
  const file = await exported(before)
  expect(await importRegistry(one.gatehouse, file)).toMatchObject({ apiKeys: 0, conflicts: [] })
  for (const host of [one, other]) await vi.waitFor(async () => expect(await epochAt(host, key)).toBe(1))
})

it('an import does not reuse the id of a deleted API key, even in a process that cached the key', async () => {
  const store = memoryStore()
  const [one, other] = [await start(store), await start(store)]
  const key = await one.createApiKey()
  const file = await exported(one)
  for (const host of [one, other]) await tokenOf(host, key)
  const left = async () => store.get(`client:${key.client_id}`)

  await one.gatehouse.apiKeys.delete(key.client_id)
  const deleted = await left()
  const { apiKeys, conflicts } = await importRegistry(other.gatehouse, file)
  expect([apiKeys, conflicts]).toEqual([0, [key.client_id]])
  await expect(
    other.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Again', clientId: key.client_id }),
  ).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
  expect(await left()).toBe(deleted)
  for (const host of [one, other]) {
    const { status, body } = await host.requestDirectToken(key)
    expect([status, body['error']]).toEqual([401, 'invalid_client'])
    expect(await host.gatehouse.apiKeys.find(key.client_id)).toBeUndefined()
    expect((await host.gatehouse.apiKeys.list()).items).toEqual([])
  }
})
