import { expect, it, vi } from 'vitest'
import { describeEachKind, failure, START } from './each-kind.ts'
import { watched } from './setup.ts'

describeEachKind('lists of clients', (context) => {
  const { kind, stores } = context

  it('clients are listed in order of creation, page by page, for one account or for all accounts', async () => {
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
    expect(pages).toEqual([ids.slice(0, 2), [ids[2], ids[4]], ids.slice(5)])

    const all = await service.list()
    expect(all.items.map(({ clientId }) => clientId)).toEqual(ids)
    expect(all.cursor).toBeUndefined()
    expect(await service.listByOwner('unknown')).toEqual({ items: [] })
  })

  it('clients that were created in one millisecond are listed in order of creation', async () => {
    const process = context.start()
    const ids: string[] = []
    for (let index = 0; index < 10; index += 1) ids.push((await context.created(process)).clientId)
    const { items } = await process.service.listByOwner('acme')
    expect(items.map(({ clientId }) => clientId)).toEqual(ids)
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
    const process = context.start(store)
    const { clientId } = await context.created(process, { name: 'Kept' })
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
    await process.audit.settled()
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
