import { beforeEach, expect, it } from 'vitest'
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

it('revoking a key fails, however often it is repeated, until enough replicas have the revocation', async () => {
  const [signing = ''] = await keys.list()
  const kid = signing.split(' ')[2] ?? ''
  db.lagFrom(RING)
  for (let times = 0; times < 3; times += 1) {
    await expect(keys.keys.revoke(kid)).rejects.toThrow(TOO_FEW)
    expect(await keys.list()).toContain(`revoked ES256 ${kid}`)
  }
  // Revoking the key also fails in another process.
  await expect(keyProcess(db.durable).keys.revoke(kid)).rejects.toThrow(TOO_FEW)
  expect(keys.emitted.filter((event) => event.startsWith('revoked'))).toEqual([`revoked ES256 ${kid}`])

  db.replicates = true
  await keys.keys.revoke(kid)
  db.failOver()
  expect(await keyProcess(db.durable).list()).toContain(`revoked ES256 ${kid}`)
  expect(keys.emitted.filter((event) => event.startsWith('revoked'))).toEqual([`revoked ES256 ${kid}`])
})

it('a key whose revocation was lost in a failover can be revoked again', async () => {
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

it('a repeated import writes the same ring again, because the last write may not be durable', async () => {
  const { exportable } = keys.keys
  const text = (await exportable?.toText()) ?? ''
  db.lagFrom(RING)
  await expect((await exportable?.unseal(text))?.()).rejects.toThrow(TOO_FEW)
  db.replicates = true
  expect(await (await exportable?.unseal(text))?.()).toBe(0)
})
