// Also runs on: Redis
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createConsole } from '../../../src/console.ts'
import { createManagementApi } from '../../../src/management.ts'
import type { FoundAccount } from '../../../src/host/accounts.ts'
import { describeEachStore } from '../../support/stores.ts'
import { textOf } from '../console/markup.ts'
import { startConsole, type ConsoleHost } from '../console/setup.ts'

describeEachStore('the search of operators', (makeStore) => {
  let host: ConsoleHost
  let store: ReturnType<typeof makeStore>
  let found: unknown
  const searched = vi.fn<(text: string) => unknown>(() => found)

  beforeEach(async () => {
    found = undefined
    searched.mockClear()
    store = makeStore()
    host = await start()
  })
  afterEach(() => host.close())

  function start() {
    return startConsole({
      store,
      accounts: {
        find: (accountId, userId) =>
          /^acme[\w-]*$/.test(accountId) && (userId === undefined || userId === 'nina')
            ? { id: accountId, claims: { name: userId === undefined ? 'Acme GmbH' : 'Nina' } }
            : undefined,
        isOperator: () => true,
        search: (text) => searched(text) as FoundAccount[],
      },
      mount(app, gatehouse) {
        app.use(createConsole(gatehouse))
        app.use(createManagementApi(gatehouse))
      },
    })
  }

  const createKey = (clientId: string, name: string, accountId = 'acme') =>
    host.gatehouse.apiKeys.create({ accountId, clientId, name })

  /** The ids that the API finds: of clients, then of accounts and users. */
  async function find(text: string): Promise<string[]> {
    const { status, body } = await host
      .visit('acme')
      .get(`/account/api/operator/search?text=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    const { clients, accounts } = JSON.parse(body) as {
      clients: { clientId: string }[]
      accounts: FoundAccount[]
    }
    return [
      ...clients.map(({ clientId }) => clientId),
      ...accounts.map(({ accountId, userId }) =>
        userId === undefined ? accountId : `${accountId}/${userId}`,
      ),
    ]
  }

  it('finds clients of any account by the beginnings of words of their names', async () => {
    await createKey('a', 'Nightly export to Ångström')
    await createKey('b', 'EXPORT-2', 'other')
    await host.gatehouse.applications.create({ accountId: 'third', clientId: 'c', name: 'Reexport' })
    expect((await find('exp')).toSorted()).toEqual(['a', 'b'])
    expect(await find('ÅNGS nightly')).toEqual(['a'])
    expect(await find('exp 2')).toEqual(['b'])
    expect(await find('ree')).toEqual(['c'])
    expect(await find('port')).toEqual([])
    expect(await find('…')).toEqual([])
  })

  it('a client that is found by its name has the time of its last use', async () => {
    const key = await host.createApiKey()
    await host.gatehouse.apiKeys.update(key.client_id, { name: 'Nightly export' })
    expect((await host.requestDirectToken(key)).status).toBe(200)
    const { body } = await host.visit('acme').get('/account/api/operator/search?text=nightly')
    expect(JSON.parse(body).clients).toMatchObject([
      { clientId: key.client_id, lastUsedAt: expect.anything() },
    ])
  })

  it('finds a client by its new name after a rename, and never after its deletion', async () => {
    await createKey('a', 'First name')
    await host.gatehouse.apiKeys.update('a', { name: 'Second name' })
    expect(await find('first')).toEqual([])
    expect(await find('second')).toEqual(['a'])
    expect(await find('name')).toEqual(['a'])
    await host.gatehouse.apiKeys.delete('a')
    expect(await find('second')).toEqual([])
    expect(await store.range('client-names', { limit: 10 })).toEqual([])
  })

  it('a rename that was rejected leaves no words behind', async () => {
    await createKey('a', 'First name')
    await expect(host.gatehouse.apiKeys.update('a', { name: 'Ledger' }, { actor: '\n' })).rejects.toThrow(
      'actor',
    )
    expect(await store.range('client-names', { limit: 10 })).toEqual(['first\0a', 'name\0a'])
  })

  it('finds what has exactly an id first, each once, then what the host finds', async () => {
    await createKey('acme-key', 'acme-key')
    expect(await find('acme-key')).toEqual(['acme-key', 'acme-key'])
    found = [{ accountId: 'acme', userId: 'nina', name: 'Nina' }, { accountId: 'acme-2' }]
    expect(await find('acme/nina')).toEqual(['acme/nina', 'acme-2'])
    expect(searched).toHaveBeenLastCalledWith('acme/nina')
  })

  it('a search has at most 20 clients, and at most 20 accounts and users, and keeps what has exactly the id', async () => {
    await createKey('acme', 'Other name')
    for (let at = 0; at < 21; at += 1) await createKey(`key-${at}`, 'acme')
    found = Array.from({ length: 21 }, (_, at) => ({ accountId: `acme-${at}` }))
    const ids = await find('acme')
    expect(ids).toHaveLength(40)
    expect([ids[0], ids[20]]).toEqual(['acme', 'acme'])
    expect(ids.slice(1, 20).every((id) => id.startsWith('key-'))).toBe(true)
    expect(ids.slice(20)).toEqual(['acme', ...Array.from({ length: 19 }, (_, at) => `acme-${at}`)])
  })

  it('a wrong result of accounts.search is an error of the host', async () => {
    for (found of [{}, [{}], [null], [{ accountId: 1 }]]) {
      const { status } = await host.visit('acme').get('/account/api/operator/search?text=x')
      expect(status).toBe(500)
    }
  })

  it('the console lists what was found, and opens what was found alone', async () => {
    await createKey('a', 'Nightly export')
    await createKey('b', 'Export')
    found = [{ accountId: 'acme', userId: 'nina', name: 'Nina Export' }]
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/operator')
    const listed = await visitor.submit(form, 'find', { text: 'export' })
    expect(textOf(listed.body)).toContain('Nightly export API key acme')
    expect(textOf(listed.body)).toContain('acme/nina Nina Export')
    found = undefined
    const only = await visitor.submit(form, 'find', { text: 'night' })
    expect(only.url.pathname).toBe('/console/operator/clients/a')
    const none = await visitor.submit(form, 'find', { text: 'nothing<b>' })
    expect(textOf(none.body)).toContain('Nothing was found.')
    expect(none.body).not.toContain('<b>')
  })
})
