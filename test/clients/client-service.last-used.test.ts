import { expect, it, vi } from 'vitest'
import { describeEachKind, START } from './each-kind.ts'

describeEachKind('lastUsedAt', (context) => {
  it('every method returns as lastUsedAt the hour in which the client got its last token', async () => {
    const process = context.start()
    const { clientId } = await context.created(process, { products: ['invoices'] })
    const { clientId: unused } = await context.created(process)
    vi.setSystemTime(START + 3_600_000)
    process.lastUses.record(clientId)
    const lastUsedAt = Date.UTC(2030, 0, 1, 11) / 1000
    await vi.waitFor(async () => expect(await process.service.find(clientId)).toMatchObject({ lastUsedAt }))
    expect(await process.service.update(clientId, { name: 'New' })).toMatchObject({ lastUsedAt })
    const { items } = await process.service.list()
    expect(items.map((item) => [item.clientId, item.lastUsedAt])).toEqual([
      [clientId, lastUsedAt],
      [unused, undefined],
    ])
    expect(await process.service.find(unused)).not.toHaveProperty('lastUsedAt')
  })

  it('lastUsedAt is never before createdAt, although it is rounded down to the hour', async () => {
    const process = context.start()
    const { clientId, client } = await context.created(process)
    process.lastUses.record(clientId)
    const expected = { createdAt: START / 1000, lastUsedAt: START / 1000 }
    await vi.waitFor(async () => expect(await process.service.find(clientId)).toMatchObject(expected))
    expect(client.createdAt % 3600).toBe(1800)
    expect((await process.service.list()).items).toMatchObject([expected])
    expect(await process.service.update(clientId, { name: 'New' })).toMatchObject(expected)
  })
})
