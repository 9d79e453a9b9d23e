import { beforeEach, expect, it } from 'vitest'
import { createLongestLifetime } from '../../src/revocation/longest-token-lifetime.ts'
import { replicatedStore, type ReplicatedStore } from '../support/replicated-store.ts'
import { watchWrites } from '../support/stores.ts'

const TOO_FEW = 'too few replicas have it'

let db: ReplicatedStore
beforeEach(() => {
  db = replicatedStore()
})

it('if too few replicas have the longest lifetime, reading it rejects in every process', async () => {
  const lifetime = createLongestLifetime(db.durable, 3600)
  db.replicates = false
  for (let times = 0; times < 3; times += 1) await expect(lifetime.seconds()).rejects.toThrow(TOO_FEW)
  // Other processes find the lifetime in the store, where the failed write left it.
  for (const seconds of [60, 3600]) {
    await expect(createLongestLifetime(db.durable, seconds).seconds()).rejects.toThrow(TOO_FEW)
  }
  db.replicates = true
  expect(await lifetime.seconds()).toBe(3600)
  db.failOver()
  expect(await createLongestLifetime(db.durable, 60).seconds()).toBe(3600)
})

it('reading a lifetime that another process has raised rejects until enough replicas have it', async () => {
  const short = createLongestLifetime(db.durable, 60)
  expect(await short.seconds()).toBe(60)
  db.replicates = false
  await expect(createLongestLifetime(db.durable, 3600).seconds()).rejects.toThrow(TOO_FEW)
  await expect(short.seconds()).rejects.toThrow(TOO_FEW)
})

it('a confirmed lifetime is not written again', async () => {
  const { store, writes } = watchWrites(db.durable)
  const lifetime = createLongestLifetime(store, 60)
  for (let times = 0; times < 3; times += 1) expect(await lifetime.seconds()).toBe(60)
  expect(writes).toEqual(['create signing-keys:longest-lifetime'])
  writes.length = 0
  await createLongestLifetime(db.durable, 3600).seconds()
  for (let times = 0; times < 3; times += 1) expect(await lifetime.seconds()).toBe(3600)
  expect(writes).toEqual(['replace signing-keys:longest-lifetime'])
})
