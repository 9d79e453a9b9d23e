import { expect, it, vi } from 'vitest'
import { describeApiKeys, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeApiKeys('lists of clients', (context) => {
  const { kind, stores } = context

  it('the clients of an account are listed newest first, those of all accounts in order of creation, page by page', async () => {
    const { service } = context.start()
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) {
      vi.setSystemTime(START + index * 400)
      // The ids are in descending order, so that sorting by id would give another list.
      const clientId = `client-${9 - index}`
      await service.create({ accountId: index === 3 ? 'other' : 'acme', name: `${index}`, clientId })
      ids.push(clientId)
    }
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await service.listByOwner('acme', { cursor, limit: 2 })
      pages.push(page.items.map(({ clientId }) => clientId))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(pages).toEqual([
      [ids[6], ids[5]],
      [ids[4], ids[2]],
      [ids[1], ids[0]],
    ])

    const all = await service.list()
    expect(all.items.map(({ clientId }) => clientId)).toEqual(ids)
    expect(all.cursor).toBeUndefined()
    expect(await service.listByOwner('unknown')).toEqual({ items: [] })
  })

  it('clients that were created in one millisecond are listed newest first', async () => {
    const process = context.start()
    const ids: string[] = []
    for (let index = 0; index < 10; index += 1) ids.push((await context.created(process)).clientId)
    const { items } = await process.service.listByOwner('acme')
    expect(items.map(({ clientId }) => clientId)).toEqual(ids.toReversed())
  })

  it('each page has every client of one millisecond once, also if several processes created them', async () => {
    const store = stores.open()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push((await context.created(context.start(store))).clientId)
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await context.start(store).service.listByOwner('acme', { cursor, limit: 1 })
      listed.push(...page.items.map(({ clientId }) => clientId))
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(listed.toSorted()).toEqual(ids.toSorted())
  })

  it('an owner filters and sorts a list by name, product, last use and state', async () => {
    const { service, lastUses } = context.start()
    const add = async (clientId: string, name: string, products: string[]) => {
      vi.setSystemTime(Date.now() + 1000)
      await service.create({ accountId: 'acme', clientId, name, products })
    }
    await add('a', 'Nightly export', ['invoices'])
    await add('b', 'export 10', ['invoices', 'payments'])
    await add('c', 'Export 9', [])
    vi.setSystemTime(START + 86_400_000)
    lastUses.record('b')
    vi.setSystemTime(START + 2 * 86_400_000)
    lastUses.record('a')
    await service.disable('b')
    const ids = async (options: object) => {
      const found: string[] = []
      let cursor: string | undefined
      do {
        const page = await service.listByOwner('acme', { ...options, limit: 1, cursor })
        found.push(...page.items.map(({ clientId }) => clientId))
        cursor = page.cursor
      } while (cursor !== undefined)
      return found.join('')
    }
    await vi.waitFor(async () => expect(await ids({ sort: 'last-used' })).toBe('abc'))
    expect(await ids({})).toBe('cba')
    expect(await ids({ sort: 'name' })).toBe('cba')
    expect(await ids({ name: 'EXPORT' })).toBe('cba')
    expect(await ids({ name: 'export 1' })).toBe('b')
    expect(await ids({ product: 'invoices' })).toBe('ba')
    expect(await ids({ unusedSince: START / 1000 + 100_000 })).toBe('cb')
    expect(await ids({ state: 'no-token', product: 'invoices' })).toMatch(/b/)
    expect(await ids({ state: 'disabled' })).toBe('b')
    expect(await ids({ state: 'no-product' })).toBe('c')
    // A client that never expires is the last one.
    await service.update('a', { expiresAt: START / 1000 + 9 * 86_400 })
    await service.update('b', { expiresAt: START / 1000 + 5 * 86_400 })
    expect(await ids({ sort: 'expiry' })).toBe('bac')
    // A cursor of another order is no place in this list.
    const { cursor } = await service.listByOwner('acme', { sort: 'name', limit: 1 })
    await expect(service.listByOwner('acme', { cursor })).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
  })

  it('a page begins after the last client of the previous page, also if that client was deleted', async () => {
    const process = context.start()
    for (let index = 0; index < 4; index += 1) await context.created(process, { clientId: `client-${index}` })
    const { service } = process
    const { cursor } = await service.listByOwner('acme', { limit: 2 })
    await service.delete('client-2')
    const { items } = await service.listByOwner('acme', { cursor })
    expect(items.map(({ clientId }) => clientId)).toEqual(['client-1', 'client-0'])
  })

  it('accounts whose ids have the same beginning have separate lists', async () => {
    const { service } = context.start()
    for (const accountId of ['a', 'a:b', 'a:of:b', 'of:a'])
      await service.create({ accountId, name: accountId })
    for (const accountId of ['a', 'a:b', 'a:of:b', 'of:a']) {
      expect((await service.listByOwner(accountId)).items).toMatchObject([{ name: accountId }])
    }
  })

  it('a page skips entries that a crash left without a record, and is filled with the clients that follow', async () => {
    const store = stores.open()
    const process = await context.withClient({ name: 'Kept' }, store)
    const { clientId } = process
    for (let index = 0; index < 5; index += 1) {
      await store.add(`clients:${kind}:of:acme`, `000000000000${index}:gone-${index}`)
    }
    // A late write of a failed creation can leave a second entry for a client. This line adds such an entry.
    await store.add(`clients:${kind}:of:acme`, `0000000000009:${clientId}`)
    const page = await process.service.listByOwner('acme', { limit: 1 })
    expect(page).toEqual({ items: [expect.objectContaining({ name: 'Kept' })] })
    // The call of listByOwner() removed the entries without a record, and the second entry of the client.
    expect(await store.range(`clients:${kind}:of:acme`, { limit: 100 })).toEqual([`${START}:${clientId}`])
  })

  it('a recent entry without a record is not removed', async () => {
    const store = stores.open()
    const member = `${START - 60_000}:being-created`
    await store.add(`clients:${kind}`, member)
    expect((await context.start(store).service.list()).items).toEqual([])
    expect(await store.range(`clients:${kind}`, { limit: 10 })).toEqual([member])
  })

  it('a page costs three reads, however many clients it has', async () => {
    const { store, calls } = watched(stores.open())
    const process = context.start(store)
    for (let index = 0; index < 20; index += 1) await context.created(process)
    await process.settled()
    calls.length = 0
    expect((await process.service.listByOwner('acme')).items).toHaveLength(20)
    expect(calls.map(({ method }) => method)).toEqual(['range', 'getMany', 'getMany'])
  })

  it('an invalid limit or cursor is rejected', async () => {
    const { service } = context.start()
    const bad = [
      { limit: 0 },
      { limit: 501 },
      { limit: 1.5 },
      { limit: '5' },
      { cursor: '' },
      { cursor: 'x' },
      { state: 'wrong' },
      // The option is called `cursor`. If `after` were ignored, each call would return the first page.
      { after: `${START}:a` },
      null,
    ]
    for (const options of bad) {
      await expect(service.list(options as never)).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
      await expect(service.listByOwner('acme', options as never)).rejects.toThrow(
        failure('ERR_INVALID_ARGUMENT'),
      )
    }
    await expect(service.listByOwner('')).rejects.toThrow(failure('ERR_INVALID_ARGUMENT'))
  })
})
