import { afterEach, expect, it, vi } from 'vitest'
import { GatehouseError } from '../../src/errors.ts'
import type { ClientService } from '../../src/clients/client-service-types.ts'
import type { Client } from '../../src/clients/client.ts'
import { createRevocationLog } from '../../src/revocation/revocation-log.ts'
import { createRevocationSet, type RevocationSet } from '../../src/revocation/is-revoked.ts'
import type { Store } from '../../src/store/contract.ts'
import { finishersOf } from '../support/commits.ts'
import { describeApiKeys, describeEachKind, failure } from './each-kind.ts'

type Service = ClientService<Client, string, string>

/** All changes that remove access from a client with the product `invoices`. */
const CHANGES: readonly [name: string, change: (service: Service, clientId: string) => Promise<unknown>][] = [
  ['removing a product', (service, clientId) => service.removeProduct(clientId, 'invoices')],
  ['removing an operation', (service, clientId) => service.removeOperation(clientId, 'invoices:create')],
  ['disabling', (service, clientId) => service.disable(clientId)],
  ['deleting', (service, clientId) => service.delete(clientId)],
]

/** Whether a token that was issued to the client at `epoch` is rejected. */
function isRejected(
  set: RevocationSet,
  clientId: string,
  epoch: number,
  scopes = ['invoices:read'],
): boolean {
  return set.isTokenRevoked({
    tokenId: 't',
    clientId,
    scopes,
    keyId: 'k',
    expiresAt: 2_000_000_000,
    claims: { access_epoch: epoch },
  })
}

/** All revocations in the store, as a starting process reads them. */
async function readAll(store: Store): Promise<RevocationSet> {
  const set = createRevocationSet()
  const log = createRevocationLog(store)
  for (let cursor: string | undefined, more = true; more;) {
    const page = await log.read(cursor)
    set.add(page.revocations)
    ;({ cursor, more } = page)
  }
  return set
}

describeApiKeys('changes that remove access from a client', (context) => {
  const { kind, stores } = context
  afterEach(() => void vi.restoreAllMocks())

  it('after each change, older tokens of the client are rejected in every process', async () => {
    for (const [name, change] of CHANGES) {
      const store = stores.open()
      const process = await context.withClient({ products: ['invoices', 'payments'] }, store)
      const { service, clientId } = process
      const { clientId: other } = await context.created(process, { products: ['invoices'] })
      await change(service, clientId)
      for (const set of [process.set, await readAll(store)]) {
        expect(isRejected(set, clientId, 0), name).toBe(true)
        // New tokens are valid. A deleted client gets no new tokens, and its revocation covers every epoch.
        expect(isRejected(set, clientId, 1)).toBe(name === 'deleting')
        expect(isRejected(set, other, 0)).toBe(false)
      }
      expect(process.revoked).toEqual([{ of: 'client', id: clientId }])
    }
  })

  it('a later expiry revokes nothing, and does not repeat an earlier revocation', async () => {
    const process = await context.withClient()
    const { service, clientId } = process
    const expire = async (days: number) =>
      service.update(clientId, { expiresAt: Math.floor(Date.now() / 1000) + days * 86_400 })
    await expire(10)
    expect(process.revoked).toEqual([{ of: 'client', id: clientId }])
    await expire(20)
    expect(process.revoked).toHaveLength(1)
    // The same expiry again repeats nothing that is missing, but an earlier attempt may have failed after its write.
    await expire(20)
    expect(process.revoked).toHaveLength(2)
  })

  it('if the store fails halfway, repeating each change revokes the tokens', async () => {
    for (const [name, change] of CHANGES) {
      const store = stores.open()
      const { service, clientId, emitted, log } = await context.withClient({ products: ['invoices'] }, store)
      vi.spyOn(log, 'add').mockRejectedValueOnce(new Error('connection lost'))
      await expect(change(service, clientId)).rejects.toThrow('connection lost')
      expect(isRejected(await readAll(store), clientId, 0), name).toBe(false)
      expect(emitted).toHaveLength(1)

      const again = change(service, clientId)
      if (name === 'deleting') await expect(again).rejects.toThrow(failure('ERR_NOT_FOUND'))
      else await again
      expect(isRejected(await readAll(store), clientId, 0), name).toBe(true)
      // The second call changed nothing.
      expect(emitted).toHaveLength(1)
    }
  })

  it('a rejected change revokes nothing, and neither does the service of the other kind of client', async () => {
    const process = await context.withClient({ products: ['invoices'] })
    const { service, clientId } = process
    const other = kind === 'apiKey' ? process.applications : process.apiKeys
    await expect(service.removeProduct(clientId, 'nonsense')).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    await expect(service.removeProduct('unknown', 'invoices')).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(service.disable(clientId, { actor: '' })).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
    await expect(service.delete('no:id')).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(other.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    await expect(other.disable(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    expect(process.set.size).toBe(0)
    await service.delete(clientId)
    const { size } = process.set
    await expect(other.delete(clientId)).rejects.toThrow(failure('ERR_NOT_FOUND'))
    expect(process.set.size).toBe(size)
  })

  it('a change that adds access, or changes a name or a secret, revokes nothing', async () => {
    const process = await context.withClient({ products: ['invoices'] })
    const { service, clientId } = process
    await service.update(clientId, { name: 'New' })
    await service.addProduct(clientId, 'payments')
    await service.rotateSecret(clientId)
    await service.revokeSecret(clientId, 'old')
    await service.enable(clientId)
    expect(process.set.size).toBe(0)
  })

  it('restoring access does not make revoked tokens valid again', async () => {
    const process = await context.withClient({ products: ['invoices'] })
    const { service, clientId } = process
    await service.disable(clientId)
    await service.enable(clientId)
    await service.removeProduct(clientId, 'invoices')
    await service.addProduct(clientId, 'invoices')
    await service.removeOperation(clientId, 'invoices:create')
    expect((await service.restoreOperation(clientId, 'invoices:create')).epoch).toBe(3)
    const epochs = [0, 1, 2, 3].filter((epoch) => isRejected(process.set, clientId, epoch))
    expect(epochs).toEqual([0, 1, 2])
  })
})

describeApiKeys('the tokens of a client', (context) => {
  const { kind, stores } = context

  it('revokeAll revokes all tokens of a client without changing its access', async () => {
    const store = stores.open()
    const process = await context.withClient({ products: ['invoices'] }, store)
    const { clientId, client } = process
    await process.clientTokens.revokeAll(clientId, { actor: 'ann' })
    const set = await readAll(store)
    expect([isRejected(set, clientId, 0), isRejected(set, clientId, 1)]).toEqual([true, false])
    expect(await process.service.find(clientId)).toEqual({ ...client, epoch: 1 })
    const who = { kind, clientId, accountId: 'acme', actor: 'ann' }
    expect(process.emitted).toEqual([{ event: 'client.changed', ...who, change: 'tokens.revoked' }])
    expect(process.revoked).toEqual([{ of: 'client', id: clientId, actor: 'ann' }])
  })

  it('a partial revocation that did not reach the store is stored together with the next partial revocation', async () => {
    const store = stores.open()
    const process = await context.withClient({ products: ['invoices', 'payments'] }, store)
    const { clientTokens, clientId } = process
    vi.spyOn(process.log, 'add').mockRejectedValueOnce(new Error('connection lost'))
    await expect(clientTokens.revokeScopes(clientId, ['payments:transfer'], {})).rejects.toThrow(
      'connection lost',
    )
    await clientTokens.revokeScopes(clientId, ['invoices:create'], {})

    const set = await readAll(store)
    for (const scope of ['payments:transfer', 'invoices:create']) {
      expect(isRejected(set, clientId, 0, [scope]), scope).toBe(true)
    }
    expect(isRejected(set, clientId, 0, ['invoices:read'])).toBe(false)
  })

  it('revokeScopes revokes the tokens with a scope, and a repeated call keeps tokens without this scope valid', async () => {
    const store = stores.open()
    const process = await context.withClient({ products: ['invoices', 'payments'] }, store)
    const { clientTokens, service, clientId } = process
    await service.removeOperation(clientId, 'payments:list')
    await clientTokens.revokeScopes(clientId, ['payments:transfer'], {})
    await clientTokens.revokeScopes(clientId, ['payments:transfer'], {})
    // A process that completes a pending revocation repeats the change and writes its revocations again. The
    // next two lines do the same.
    await service.removeOperation(clientId, 'payments:list')
    await process.revocations.revoke(...(await clientTokens.revocationsOf(clientId)))

    const set = await readAll(store)
    const rejected = (epoch: number, ...scopes: string[]) => isRejected(set, clientId, epoch, scopes)
    expect([0, 1, 2, 3].filter((epoch) => rejected(epoch, 'invoices:read'))).toEqual([0])
    const withScope = [0, 1, 2, 3].filter((epoch) => rejected(epoch, 'invoices:read', 'payments:transfer'))
    expect(withScope).toEqual([0, 1, 2])
    // A later full revocation covers all tokens again.
    await service.disable(clientId)
    const all = [0, 1, 2, 3, 4].filter((epoch) => isRejected(process.set, clientId, epoch))
    expect(all).toEqual([0, 1, 2, 3])
    expect(await clientTokens.revocationsOf(clientId)).toEqual([{ of: 'client', id: clientId, below: 4 }])
  })

  it('revocationsOf is empty for an unchanged or missing client, and covers all tokens of a deleted client', async () => {
    const process = await context.withClient()
    const { clientTokens, service, clientId } = process
    expect(await clientTokens.revocationsOf(clientId)).toEqual([])
    expect(await clientTokens.revocationsOf('unknown')).toEqual([])
    await service.delete(clientId)
    expect(await clientTokens.revocationsOf(clientId)).toEqual([{ of: 'client', id: clientId }])
    // In an incident an operator may call revokeAll for a deleted client. All its tokens stay revoked.
    await clientTokens.revokeAll(clientId, {})
    expect(isRejected(process.set, clientId, 99)).toBe(true)
    for (const unknown of ['unknown', 'no:id', 7 as never]) {
      await expect(clientTokens.revokeAll(unknown, {})).rejects.toThrow(failure('ERR_NOT_FOUND'))
    }
    expect(process.set.size).toBe(1)
  })

  it('each of several concurrent revocations for a client raises its epoch by one', async () => {
    const store = stores.open()
    const processes = [context.start(store), context.start(stores.open())] as const
    const { clientId } = await context.created(processes[0], { products: ['invoices'] })
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => processes[index % 2]!.clientTokens.revokeAll(clientId, {})),
    )
    expect((await processes[0].service.find(clientId))?.epoch).toBe(10)
    const set = await readAll(store)
    expect([isRejected(set, clientId, 9), isRejected(set, clientId, 10)]).toEqual([true, false])
  })

  it('a client whose record is corrupt loses its tokens, although the change that should remove access rejects', async () => {
    const store = stores.open()
    const process = await context.withClient({ products: ['invoices'] }, store)
    const { service, clientId, commits, clientTokens, set } = process
    await store.set(`client:${clientId}`, 'corrupt')
    await expect(service.disable(clientId)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
    expect(isRejected(set, clientId, 0)).toBe(false)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 20_000 })
    await commits.finishAll(finishersOf(clientTokens.revocationsOf))
    vi.useRealTimers()
    expect(isRejected(set, clientId, 0)).toBe(true)
  })
})

describeEachKind('the clients of an account', (context) => {
  it('listing the clients of an account skips a corrupt list, yields clients of the other kind, and then rejects', async () => {
    const inner = context.stores.open()
    const { apiKeys, applications } = context.start(inner)
    const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    const broken = `clients:${context.kind}:of:acme`
    const corrupt = new GatehouseError('ERR_STORE_CORRUPT', `of another type (asked for "${broken}")`)
    const { clientTokens } = context.start(
      Object.assign(Object.create(inner) as typeof inner, {
        range: async (...args: Parameters<typeof inner.range>) =>
          args[0] === broken ? Promise.reject(corrupt) : inner.range(...args),
      }),
    )
    const found: unknown[] = []
    const reading = (async () => {
      for await (const page of clientTokens.listByAccount('acme')) found.push(...page)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'ERR_STORE_CORRUPT',
      message: expect.stringContaining(`"${broken}"`),
    })
    expect(found).toEqual([context.kind === 'apiKey' ? application : apiKey])
  })

  it('listing an account yields all clients of both kinds, page by page', async () => {
    const { apiKeys, applications, clientTokens } = context.start()
    const ids: string[] = []
    for (let index = 0; index < 210; index += 1) {
      const { apiKey } = await apiKeys.create({ accountId: 'acme', name: 'Key' })
      ids.push(apiKey.clientId)
    }
    const { application } = await applications.create({ accountId: 'acme', name: 'App' })
    await applications.create({ accountId: 'other', name: 'App' })
    const pages: string[][] = []
    for await (const clients of clientTokens.listByAccount('acme')) {
      pages.push(clients.map((client) => ('clientId' in client ? client.clientId : client.key)))
    }
    expect(pages.flat()).toEqual([...ids, application.clientId])
    expect(pages.map(({ length }) => length)).toEqual([200, 10, 1])
  })
})
