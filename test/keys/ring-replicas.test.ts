import { beforeEach, expect, test } from 'vitest'
import { seedKeyRing } from '../support/ready-keys.ts'
import { replicatedStore, type ReplicatedStore } from '../support/replicated-store.ts'
import { keyProcess, SECRET } from './key-process.ts'

const RING = 'signing-keys:ring'
const TOO_FEW = 'too few replicas have it'

let db: ReplicatedStore
let keys: ReturnType<typeof keyProcess>
beforeEach(async () => {
  db = replicatedStore()
  await seedKeyRing(db.durable, SECRET)
  keys = keyProcess(db.durable)
})

test('a revocation of a key that too few replicas have is none, however often it is repeated, before they have it', async () => {
  const [signing = ''] = await keys.list()
  const kid = signing.split(' ')[2] ?? ''
  db.lagFrom(RING)
  for (let times = 0; times < 3; times += 1) {
    await expect(keys.keys.revoke(kid)).rejects.toThrow(TOO_FEW)
    expect(await keys.list()).toContain(`revoked ES256 ${kid}`)
  }
  // Nor is it for another process, that only sees it.
  await expect(keyProcess(db.durable).keys.revoke(kid)).rejects.toThrow(TOO_FEW)
  expect(keys.told.filter((event) => event.startsWith('revoked'))).toEqual([`revoked ES256 ${kid}`])

  db.replicates = true
  await keys.keys.revoke(kid)
  db.failOver()
  expect(await keyProcess(db.durable).list()).toContain(`revoked ES256 ${kid}`)
  expect(keys.told.filter((event) => event.startsWith('revoked'))).toEqual([`revoked ES256 ${kid}`])
})

test('a revocation of a key that was lost with a server is done when it is repeated', async () => {
  const [signing = ''] = await keys.list()
  const kid = signing.split(' ')[2] ?? ''
  db.lagFrom(RING)
  await expect(keys.keys.revoke(kid)).rejects.toThrow(TOO_FEW)
  db.failOver()
  expect(await keys.list()).toContain(`current ES256 ${kid}`)
  db.replicates = true
  await keys.keys.revoke(kid)
  expect(await keys.list()).toContain(`revoked ES256 ${kid}`)
})

test('a ring that is joined with another one once more is written once more', async () => {
  const { exportable } = keys.keys
  const text = (await exportable?.toText()) ?? ''
  db.lagFrom(RING)
  await expect((await exportable?.open(text))?.()).rejects.toThrow(TOO_FEW)
  db.replicates = true
  expect(await (await exportable?.open(text))?.()).toBe(0)
})
