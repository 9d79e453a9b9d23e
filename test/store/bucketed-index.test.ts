import { expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { addEntry, bucketName, bucketOf, listBuckets, removeEntry } from '../../src/store/bucketed-index.ts'
import { readMembers } from '../../src/store/pages-of-index.ts'

const NOW = 1_800_000_000

function indexOf(store = memoryStore()) {
  return { store, name: 'entries', spanSeconds: 3600, slackSeconds: 600 }
}

it('entries that expire in the same span share a bucket, and buckets are listed in the order of expiry', async () => {
  const index = indexOf()
  await addEntry(index, 'b', NOW + 7200, NOW)
  await addEntry(index, 'a', NOW + 3600, NOW)
  await addEntry(index, 'c', NOW + 3601, NOW)
  const buckets = await listBuckets(index, NOW)
  expect(buckets).toEqual([bucketOf(index, NOW + 3600), bucketOf(index, NOW + 7200)])
  const entries = await Promise.all(
    buckets.map((bucket) => readMembers(index.store, bucketName(index, bucket))),
  )
  expect(entries).toEqual([['a'], ['b', 'c']])
})

it('a bucket is listed until its span and its slack are over', async () => {
  const index = indexOf()
  await addEntry(index, 'a', NOW, NOW)
  const end = bucketOf(index, NOW) * 3600 + 600
  expect(await listBuckets(index, end - 1)).toHaveLength(1)
  expect(await listBuckets(index, end)).toEqual([])
})

it('an expired bucket is removed from the list of buckets a day after its expiry, if the bucket is empty', async () => {
  const index = indexOf()
  await addEntry(index, 'a', NOW, NOW)
  const bucket = bucketOf(index, NOW)
  const later = NOW + 2 * 86_400
  await listBuckets(index, later)
  expect(await index.store.range('entries', { limit: 10 })).toHaveLength(1)
  await removeEntry(index, [bucket], 'a')
  await listBuckets(index, later)
  expect(await index.store.range('entries', { limit: 10 })).toEqual([])
})

it('listBuckets() ignores members that name no bucket', async () => {
  const index = indexOf()
  await index.store.add('entries', 'mark:x')
  await addEntry(index, 'a', NOW + 60, NOW)
  expect(await listBuckets(index, NOW)).toEqual([bucketOf(index, NOW + 60)])
})
