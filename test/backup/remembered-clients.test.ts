import { decodeJwt } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { startHost, type Host } from '../support/host.ts'

type Credentials = { client_id: string; client_secret: string }

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

async function exported({ gatehouse }: Host): Promise<string[]> {
  const lines: string[] = []
  for await (const line of gatehouse.exportRegistry()) lines.push(line)
  return lines
}

const directToken = (host: Host, key: Credentials) => host.token({ ...key, grant_type: 'client_credentials' })

/** The epoch by which a process knows the client. */
async function epochAt(host: Host, key: Credentials): Promise<unknown> {
  const { status, body } = await directToken(host, key)
  expect(status).toBe(200)
  return decodeJwt(String(body['access_token']))['access_epoch']
}

/** A file without its revocations, by which a process would notice that it knows an older record. */
function withoutRevocations(lines: readonly string[]): string[] {
  const others = lines.filter((line) => !line.startsWith('{"is":"revocation"'))
  const end = JSON.parse(others.pop() ?? '') as { lines: Record<string, number> }
  delete end.lines['revocation']
  return [...others, JSON.stringify(end)]
}

test('an import that raises the epoch of an API key is seen at once by every process that remembers it', async () => {
  const [old, next] = [memoryStore(), memoryStore()]
  const before = await start(old)
  const key = await before.createApiKey()
  const [one, other] = [await start(next), await start(next)]
  await one.gatehouse.importRegistry(await exported(before))
  expect([await epochAt(one, key), await epochAt(other, key)]).toEqual([0, 0])

  await before.gatehouse.tokens.revokeAll({ clientId: key.client_id })
  const file = withoutRevocations(await exported(before))
  expect(await one.gatehouse.importRegistry(file)).toMatchObject({ conflicts: [] })
  expect([await epochAt(one, key), await epochAt(other, key)]).toEqual([1, 1])
})

test('the id of a deleted API key is not free for an import either, whoever remembers the key', async () => {
  const store = memoryStore()
  const [one, other] = [await start(store), await start(store)]
  const key = await one.createApiKey()
  const file = await exported(one)
  for (const host of [one, other]) expect((await directToken(host, key)).status).toBe(200)
  const left = async () => store.get(`client:${key.client_id}`)

  await one.gatehouse.apiKeys.delete(key.client_id)
  const deleted = await left()
  const { apiKeys, conflicts } = await other.gatehouse.importRegistry(file)
  expect([apiKeys, conflicts]).toEqual([0, [key.client_id]])
  await expect(
    other.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Anew', clientId: key.client_id }),
  ).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
  expect(await left()).toBe(deleted)
  for (const host of [one, other]) {
    const { status, body } = await directToken(host, key)
    expect([status, body['error']]).toEqual([401, 'invalid_client'])
    expect(await host.gatehouse.apiKeys.find(key.client_id)).toBeUndefined()
    expect((await host.gatehouse.apiKeys.list()).items).toEqual([])
  }
})
