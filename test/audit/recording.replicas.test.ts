import { expect, it } from 'vitest'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { createTrail, readChunks } from '../../src/audit/trail.ts'
import { createWriter } from '../../src/audit/writer.ts'
import type { PendingEntry } from '../../src/audit/entry.ts'
import { auditOf, readAll } from './setup.ts'
import { replicatedStore } from '../support/replicated-store.ts'

/** An entry that belongs to no list, as the entries of signing keys and products do. */
const entryOf = (id: string): PendingEntry => ({
  entry: { id, at: Date.now(), name: 'key.published', keyId: 'k1', outcome: 'success' },
  after: 0,
})

it('an audit entry rejects while only one server has its chunk, although the entry can be read', async () => {
  const db = replicatedStore()
  const trail = createTrail(db.durable, 'changes', { maxAgeDays: 365, maxEntries: 1000 })
  const append = (id: string) => createWriter(trail).append([entryOf(id)])
  const ids = async () =>
    (await readChunks(trail, [1])).flatMap(({ entries }) => entries.map((entry) => entry?.id))
  await append('a')
  db.lagFrom('audit:changes:1')
  for (let times = 0; times < 3; times += 1) {
    await expect(append('b')).rejects.toThrow('too few replicas have it')
    expect(await ids()).toEqual(['a', 'b'])
  }
  db.failOver()
  expect(await ids()).toEqual(['a'])
  db.replicates = true
  for (let times = 0; times < 3; times += 1) await append('b')
  expect(await ids()).toEqual(['a', 'b'])
})

it('a removal of access that could not be listed is recorded later, although its own write was not confirmed', async () => {
  const db = replicatedStore()
  let time = Date.now()
  // The list of pending changes is on another server than the record.
  const add: Store['add'] = async (...args) => {
    if (!db.replicates) throw new Error('its server is away')
    await db.durable.add(...args)
  }
  const audit = auditOf({ ...db.durable, add }, { now: () => time })
  await db.durable.set('client:c', '{}')
  const remove = () =>
    audit.change(
      'client:c',
      async (outbox) => {
        const before = await db.store.get('client:c')
        if (before !== '{}') return
        const fields = {
          name: 'client.deleted',
          kind: 'apiKey',
          clientId: 'c',
          accountId: 'acme',
          outcome: 'success',
        } as const
        await db.durable.replace('client:c', '{}', JSON.stringify(outbox.put({}, fields)))
      },
      { isRemoval: true },
    )
  db.replicates = false
  await expect(remove()).rejects.toThrow('too few replicas have it')
  db.replicates = true
  await audit.resume()
  time += 20_000
  await audit.resume()
  expect((await readAll(audit)).map(({ entry }) => entry.name)).toEqual(['client.deleted'])
})

it('a removal of access that could not be listed is recorded by a repeat at another process', async () => {
  const db = replicatedStore()
  // The list of pending changes is on another server than the record.
  const add: Store['add'] = async (...args) => {
    if (!db.replicates) throw new Error('its server is away')
    await db.durable.add(...args)
  }
  let audit = auditOf({ ...db.durable, add })
  await db.durable.set('client:c', '{}')
  const remove = () =>
    audit.change(
      'client:c',
      async (outbox) => {
        const before = await db.store.get('client:c')
        if (before !== '{}') return
        const fields = {
          name: 'client.deleted',
          kind: 'apiKey',
          clientId: 'c',
          accountId: 'acme',
          outcome: 'success',
        } as const
        await db.durable.replace('client:c', '{}', JSON.stringify(outbox.put({}, fields)))
      },
      { isRemoval: true },
    )
  db.replicates = false
  await expect(remove()).rejects.toThrow('too few replicas have it')
  db.replicates = true
  audit = auditOf(db.durable)
  await remove()
  expect((await readAll(audit)).map(({ entry }) => entry.name)).toEqual(['client.deleted'])
})

it('a removal of access that could not be recorded is recorded as soon as the store is available', async () => {
  const db = replicatedStore()
  let isAway = false
  const whileAvailable =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      if (isAway) throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'its server is away')
      return call(...args)
    }
  const { add, create, replace } = db.durable
  const audit = auditOf({
    ...db.durable,
    add: whileAvailable(add),
    create: whileAvailable(create),
    replace: whileAvailable(replace),
  })
  const stop = audit.start()
  const fields = { name: 'token.revoked', kind: 'apiKey', clientId: 'c', outcome: 'success' } as const
  const announce = () =>
    audit.announce(fields, { key: 'revoked:t', text: 't' }, async () => ({ isMade: true }), {
      isRemoval: true,
    })
  isAway = true
  await announce()
  expect(await readAll(auditOf(db.durable))).toEqual([])
  isAway = false
  await expect
    .poll(async () => (await readAll(auditOf(db.durable))).map(({ entry }) => entry.name), { timeout: 5000 })
    .toEqual(['token.revoked'])

  // The last attempt is made when the process ends.
  isAway = true
  await announce()
  isAway = false
  await stop()
  expect(await readAll(auditOf(db.durable))).toHaveLength(2)
})
