import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { createKeySync, type KeyRow } from '../../examples/client-table.ts'
import { startHost, type Host } from '../support/host.ts'

const sha256 = (secret: string) => createHash('sha256').update(secret).digest('hex')
const SECRET = 'the secret of the nightly export'
const credentials = { client_id: 'nightly', client_secret: SECRET }

describe('API keys in a table of the host', () => {
  let host: Host
  let rows: Map<string, KeyRow>
  let afterFind: () => void
  let keys: ReturnType<typeof createKeySync>
  beforeEach(async () => {
    host = await startHost({ store: memoryStore() })
    await host.gatehouse.ready()
    rows = new Map()
    insert('nightly')
    afterFind = () => {}
    keys = createKeySync(host.gatehouse, {
      async find(clientId) {
        const row = rows.get(clientId)
        afterFind()
        return row
      },
      async *ids() {
        yield* rows.keys()
      },
    })
  })
  afterEach(() => host.close())

  function insert(clientId: string, values: Partial<KeyRow> = {}): void {
    const row = { accountId: 'acme', name: 'Nightly export', products: ['invoices'], disabled: false }
    rows.set(clientId, { ...row, clientId, secretSha256: sha256(SECRET), ...values })
  }

  async function tokenOf(client = credentials): Promise<string> {
    const { status, body } = await host.requestDirectToken(client)
    expect(status).toBe(200)
    return String(body['access_token'])
  }

  const tokenStatus = async (client = credentials) => (await host.requestDirectToken(client)).status
  const callStatus = async (token: string) => (await host.call('GET /invoices/list', token)).status

  it('a key of the table gets a token with its own secret, and the gateway accepts the token', async () => {
    expect(await tokenStatus()).toBe(401)
    await keys.sync('nightly')
    const token = await tokenOf()
    expect(decodeJwt(token)).toMatchObject({ account_id: 'acme', scope: 'invoices:read invoices:create' })
    expect(await callStatus(token)).toBe(200)
    expect(await tokenStatus({ ...credentials, client_secret: sha256(SECRET) })).toBe(401)
  })

  it('a product that the table adds needs no new token, and a product that it removes revokes the old tokens', async () => {
    await keys.sync('nightly')
    const before = await tokenOf()
    insert('nightly', { name: 'Export', products: ['payments', 'invoices'] })
    await keys.sync('nightly')
    expect(await callStatus(before)).toBe(200)
    expect(decodeJwt(await tokenOf())['scope']).toContain('payments:list')
    expect(await host.gatehouse.apiKeys.find('nightly')).toMatchObject({ name: 'Export', epoch: 0 })
    insert('nightly', { products: ['payments'] })
    await keys.sync('nightly')
    expect(await callStatus(before)).toBe(401)
    expect(decodeJwt(await tokenOf())['scope']).not.toContain('invoices')
  })

  it('a new secret in the table replaces the old secret at once', async () => {
    await keys.sync('nightly')
    const secret = 'the next secret of the export'
    insert('nightly', { secretSha256: sha256(secret) })
    await keys.sync('nightly')
    expect(await tokenStatus()).toBe(401)
    expect(await tokenStatus({ ...credentials, client_secret: secret })).toBe(200)
  })

  it('a key that the table disables or no longer has gets no token, and its old tokens are rejected', async () => {
    await keys.sync('nightly')
    const before = await tokenOf()
    insert('nightly', { disabled: true })
    await keys.sync('nightly')
    expect([await tokenStatus(), await callStatus(before)]).toEqual([401, 401])
    insert('nightly')
    await keys.sync('nightly')
    const again = await tokenOf()
    rows.delete('nightly')
    await keys.sync('nightly')
    expect([await tokenStatus(), await callStatus(again)]).toEqual([401, 401])
    await keys.remove('nightly')
    await keys.remove('nightly')
    expect(await host.gatehouse.apiKeys.find('nightly')).toBeUndefined()
  })

  it('a row that changes during its synchronization is applied again', async () => {
    await keys.sync('nightly')
    insert('nightly', { products: ['payments'] })
    let changes = 1
    afterFind = () => {
      if (changes > 0) insert('nightly', { products: ['reports', 'invoices'].slice(changes) })
      changes -= 1
    }
    await keys.sync('nightly')
    expect(await host.gatehouse.apiKeys.find('nightly')).toMatchObject({ products: ['invoices'] })
  })

  it('two synchronizations of a new row at the same time create one key', async () => {
    await Promise.all([keys.sync('nightly'), keys.sync('nightly'), keys.syncAll()])
    expect(await tokenStatus()).toBe(200)
  })

  it('synchronizing the whole table creates missing keys, disables keys without a row, and reports invalid rows', async () => {
    await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'No row', clientId: 'no-row' })
    insert('wrong', { products: ['unknown'] })
    insert('other', { disabled: true })
    await expect(keys.syncAll()).rejects.toMatchObject({ errors: [{ code: 'ERR_INVALID_ARGUMENT' }] })
    expect(await tokenStatus()).toBe(200)
    const { items } = await host.gatehouse.apiKeys.list()
    const states = Object.fromEntries(items.map(({ clientId, disabled }) => [clientId, disabled]))
    expect(states).toEqual({ nightly: false, other: true, 'no-row': true })
    rows.delete('wrong')
    const { epoch } = (await host.gatehouse.apiKeys.find('no-row'))!
    await keys.syncAll()
    expect((await host.gatehouse.apiKeys.find('no-row'))?.epoch).toBe(epoch)
  })

  it('synchronizing the whole table does not give a leaked secret back to its key', async () => {
    await keys.sync('nightly')
    await host.gatehouse.apiKeys.reportCompromised('nightly')
    await keys.syncAll()
    expect(await tokenStatus()).toBe(401)
  })

  it('the owner of a key cannot change', async () => {
    await keys.sync('nightly')
    insert('nightly', { accountId: 'alice' })
    await expect(keys.sync('nightly')).rejects.toThrow('owner')
  })
})
