import { expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory.ts'
import { createEvents } from '../../src/host/events.ts'
import { silentLogger } from '../../src/host/logger.ts'
import type { HostClient, Registry } from '../../src/clients/client.ts'
import type { ClientTokens } from '../../src/clients/revoke-client-tokens.ts'
import { clientsAtHost } from '../../src/clients/create-clients.ts'
import type { Store } from '../../src/store/contract.ts'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocationSet } from '../../src/revocation/is-revoked.ts'
import { createRevocations } from '../../src/revocation/revoke-tokens.ts'
import { failure } from './each-kind.ts'
import { describeOnEachStore, watched, services } from './setup.ts'

const row: HostClient = {
  kind: 'apiKey',
  clientId: 'nightly',
  accountId: 'acme',
  name: 'Nightly export',
  products: ['invoices'],
  epoch: 5,
}

/** A process whose host manages the clients. */
function atHost(store: Store, overrides: Partial<Registry> = {}) {
  const rows = new Map<string, HostClient>([['nightly', row]])
  const emitted: object[] = []
  const events = createEvents((error) => {
    throw error
  })
  events.on('client.changed', (event) => emitted.push(event))
  events.on('client.compromised', (event) => emitted.push({ event: 'client.compromised', ...event }))
  const set = createRevocationSet()
  const revocations = createRevocations({
    store,
    log: createRevocationLog(store),
    set,
    longestLifetime: createLongestLifetime(store, 864_000),
    logger: silentLogger,
  })
  const host: Registry = {
    find: async (clientId) => rows.get(clientId),
    verifySecret: async (client, secret) => client === rows.get(client.clientId) && secret === 'right',
    ...overrides,
  }
  const isRejected = (epoch: number, scopes = ['invoices:read'], clientId = 'nightly') =>
    set.isTokenRevoked({
      tokenId: 't',
      clientId,
      scopes,
      keyId: 'k',
      expiresAt: 2_000_000_000,
      claims: { access_epoch: epoch },
    })
  return {
    ...clientsAtHost({ ...services(store).dependencies, events, revocations }, host),
    rows,
    emitted,
    isRejected,
    set,
  }
}

describeOnEachStore('tokens of clients that the host manages', ({ open }) => {
  it('reportCompromised revokes the tokens of a client of the host, but the host must revoke the secret itself', async () => {
    const { apiKeys, applications, registry, emitted, isRejected, rows } = atHost(open())
    await apiKeys.reportCompromised('nightly', { actor: 'ops' })
    expect([isRejected(5), isRejected(6)]).toEqual([true, false])
    expect(emitted).toEqual([
      { event: 'client.compromised', kind: 'apiKey', clientId: 'nightly', accountId: 'acme', actor: 'ops' },
    ])
    expect(await registry.verifySecret((await registry.find('nightly'))!, 'right')).toBe(true)

    await expect(applications.reportCompromised('nightly')).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(apiKeys.reportCompromised('')).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    await expect(apiKeys.reportCompromised('nightly', { by: 'ops' } as never)).rejects.toThrow(
      failure('ERR_INVALID_ARGUMENT'),
    )
    expect(isRejected(6)).toBe(false)
    // The host may have deleted the client. All its tokens are then revoked.
    rows.clear()
    await apiKeys.reportCompromised('nightly')
    expect(isRejected(6)).toBe(true)
  })

  it('revoking tokens of a client of the host raises an offset that is added to its epoch', async () => {
    const store = open()
    const { registry, clientTokens, emitted, isRejected } = atHost(store)
    expect((await registry.find('nightly'))?.epoch).toBe(5)
    expect(await store.get('client-epoch:nightly')).toBeUndefined()
    await clientTokens.revokeAll('nightly', { actor: 'ann' })
    expect((await registry.find('nightly'))?.epoch).toBe(6)
    expect([isRejected(5), isRejected(6)]).toEqual([true, false])
    const who = { kind: 'apiKey', clientId: 'nightly', accountId: 'acme', actor: 'ann' }
    expect(emitted).toEqual([{ ...who, change: 'tokens.revoked', target: undefined }])
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
    // The offset is the same in every process.
    expect((await atHost(store).registry.find('nightly'))?.epoch).toBe(6)
  })

  it('if the epoch offset of a client is corrupt, revokeAll revokes all its tokens permanently and rejects', async () => {
    const store = open()
    const { clientTokens, isRejected } = atHost(store)
    await store.set('client-epoch:nightly', '{"v":1,"foreign":"mark"}')
    await expect(clientTokens.revokeAll('nightly', { actor: 'ann' })).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: expect.stringMatching(/^the value under "client-epoch:nightly" .* nevertheless$/),
    })
    expect([isRejected(5), isRejected(1_000_000)]).toEqual([true, true])
    expect(isRejected(5, [], 'another')).toBe(false)
    expect(await store.range('revocations:pending', { limit: 10 })).toEqual([])
  })

  it('registry.verifySecret of the host receives the row of the host, even after a revocation has added an epoch offset', async () => {
    const { registry, clientTokens } = atHost(open())
    for (let round = 0; round < 2; round += 1) {
      const client = await registry.find('nightly')
      expect(await registry.verifySecret(client!, 'right')).toBe(true)
      expect(await registry.verifySecret(client!, 'wrong')).toBe(false)
      await clientTokens.revokeAll('nightly', {})
    }
  })

  it('a lookup of a client of the host reads the store once, for the epoch offset of the client', async () => {
    const { store, calls } = watched(open())
    const { registry } = atHost(store)
    await registry.find('nightly')
    expect(calls).toEqual([{ method: 'get', args: ['client-epoch:nightly'] }])
  })

  it('the epoch offset is read before the row of the host, so that an old row never gets a new offset', async () => {
    const order: string[] = []
    const { store } = watched(open())
    const noting = new Proxy(store, {
      get: (target, name: keyof Store) =>
        name === 'get' ? (key: string) => (order.push(`get ${key}`), target.get(key)) : target[name],
    })
    const { registry } = atHost(noting, { find: async () => (order.push('find'), row) })
    await registry.find('nightly')
    expect(order).toEqual(['get client-epoch:nightly', 'find'])
  })

  it('each of several concurrent revocations for a client of the host raises its epoch by one', async () => {
    const store = open()
    const processes = [atHost(store), atHost(open())] as const
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => processes[index % 2]!.clientTokens.revokeAll('nightly', {})),
    )
    expect((await processes[0].registry.find('nightly'))?.epoch).toBe(15)
  })

  it('revokeAll revokes the older tokens of a client that the host disabled, and all tokens of a client that the host deleted', async () => {
    const { clientTokens, rows, isRejected, emitted } = atHost(open())
    rows.set('nightly', { ...row, disabled: true })
    await clientTokens.revokeAll('nightly', {})
    expect([isRejected(5), isRejected(6)]).toEqual([true, false])
    rows.delete('nightly')
    await clientTokens.revokeAll('nightly', {})
    expect([isRejected(6), isRejected(1_000_000)]).toEqual([true, true])
    expect(emitted).toHaveLength(1)
    expect(await clientTokens.revocationsOf('nightly')).toEqual([{ of: 'client', id: 'nightly' }])
  })

  it('revoking the tokens with one operation keeps all other tokens valid, even if the revocation is repeated', async () => {
    const { clientTokens, isRejected, registry } = atHost(open())
    await clientTokens.revokeScopes('nightly', ['payments:transfer'], {})
    await clientTokens.revokeScopes('nightly', ['payments:transfer'], {})
    expect((await registry.find('nightly'))?.epoch).toBe(7)
    expect([5, 6, 7].map((epoch) => isRejected(epoch, ['payments:transfer']))).toEqual([true, true, false])
    expect([4, 5, 6].map((epoch) => isRejected(epoch))).toEqual([true, false, false])
    expect(await clientTokens.revocationsOf('nightly')).toEqual([
      { of: 'client', id: 'nightly', below: 5 },
      { of: 'client', id: 'nightly', below: 7, scopes: ['payments:transfer'] },
    ])
    await clientTokens.revokeAll('nightly', {})
    expect(await clientTokens.revocationsOf('nightly')).toEqual([{ of: 'client', id: 'nightly', below: 8 }])
  })

  it('a second revocation of single operations also covers the operations of the first revocation', async () => {
    const { clientTokens } = atHost(open())
    await clientTokens.revokeScopes('nightly', ['payments:transfer'], {})
    await clientTokens.revokeScopes('nightly', ['invoices:create'], {})
    expect(await clientTokens.revocationsOf('nightly')).toEqual([
      { of: 'client', id: 'nightly', below: 5 },
      { of: 'client', id: 'nightly', below: 7, scopes: ['payments:transfer', 'invoices:create'] },
    ])
  })

  it('an invalid client id is rejected and nothing is stored', async () => {
    const { store, calls } = watched(open())
    const { clientTokens } = atHost(store)
    for (const bad of ['', 'a\nb', 'x'.repeat(257), 7, undefined]) {
      await expect(clientTokens.revokeAll(bad as string, {})).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    }
    expect(calls).toEqual([])
  })

  it('another process completes a revocation during which the host failed', async () => {
    const store = open()
    let fails = false
    const { clientTokens } = atHost(store, {
      find: async () => {
        if (fails) throw new Error('the database is away')
        return row
      },
    })
    fails = true
    await expect(clientTokens.revokeAll('nightly', {})).rejects.toThrow('the database is away')
    expect(await store.range('revocations:pending', { limit: 10 })).toHaveLength(1)
    const other = atHost(store)
    expect(await other.clientTokens.revocationsOf('nightly')).toEqual([
      { of: 'client', id: 'nightly', below: 6 },
    ])
  })
})

async function pagesOf(clients: ReturnType<ClientTokens['listByAccount']>): Promise<string[][]> {
  const pages: string[][] = []
  for await (const page of clients) pages.push(page.map((it) => ('clientId' in it ? it.clientId : it.key)))
  return pages
}

const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ ...row, clientId: `c${n}` }))

it('registry.list may return a list or an async iterable, and its clients are processed in pages of 200', async () => {
  const asked: object[] = []
  const all = rows(450)
  const lists: (() => unknown)[] = [
    () => all,
    async () => all,
    async function* () {
      yield* all
    },
  ]
  for (const list of lists) {
    const { clientTokens } = atHost(memoryStore(), {
      list: (filter) => (asked.push(filter), list()) as HostClient[],
    })
    const pages = await pagesOf(clientTokens.listByAccount('acme'))
    expect(pages.map(({ length }) => length)).toEqual([200, 200, 50])
    expect(pages.flat()).toEqual(all.map(({ clientId }) => clientId))
  }
  expect(asked).toEqual(Array.from({ length: 3 }, () => ({ accountId: 'acme' })))
})

it('a client of another account and an empty row in the result of registry.list are skipped', async () => {
  const list = () => [{ ...row, accountId: 'ACME' }, null as never, row]
  const { clientTokens } = atHost(memoryStore(), { list })
  expect(await pagesOf(clientTokens.listByAccount('acme'))).toEqual([['nightly']])
})

it.each([
  ['a text', 'nightly', 'a text; it must be a list'],
  ['nothing', undefined, 'undefined; it must be a list'],
  ['an object', { rows: [row] }, 'an object; it must be a list'],
  ['an invalid row', [{ ...row, products: 'invoices' }], 'products: must be a list, and is a text'],
  ['a row of an unknown kind', [{ ...row, kind: 'robot' }], 'a client whose kind is a text'],
])('registry.list returning %s fails with an error that names the problem', async (_, answer, message) => {
  const { clientTokens } = atHost(memoryStore(), { list: () => answer as never })
  await expect(pagesOf(clientTokens.listByAccount('acme'))).rejects.toThrow(
    failure('ERR_HOST_CALLBACK', expect.stringMatching(`^registry\\.list returned[^]*${message}`)),
  )
})

it('the caller receives errors of registry.list unchanged, and the iterator of registry.list is closed if the caller stops early', async () => {
  const broken = atHost(memoryStore(), {
    async *list() {
      yield row
      throw new Error('connection lost')
    },
  })
  await expect(pagesOf(broken.clientTokens.listByAccount('acme'))).rejects.toThrow('connection lost')

  let closed = false
  const { clientTokens } = atHost(memoryStore(), {
    async *list() {
      try {
        yield* rows(200)
      } finally {
        closed = true
      }
    },
  })
  for await (const _ of clientTokens.listByAccount('acme')) break
  expect(closed).toBe(true)
})

it('without registry.list, listing the clients of an account fails with an error that names the remedy', async () => {
  const { clientTokens } = atHost(memoryStore())
  await expect(pagesOf(clientTokens.listByAccount('acme'))).rejects.toThrow(
    failure('ERR_HOST_CALLBACK', expect.stringContaining('implement list({ accountId })')),
  )
})
