import { beforeEach, expect, it } from 'vitest'
import { createGrantLifecycle, type GrantLifecycle } from '../../src/grants/grant-lifecycle.ts'
import { isActive } from '../../src/grants/grant-record.ts'
import { replicatedStore, type ReplicatedStore } from '../support/replicated-store.ts'

const DAY = 86_400
const LIFETIMES = { refreshToken: 30 * DAY, delegatedAccessToken: 3600 }
const TOO_FEW = 'too few replicas have it'
const GRANT = 'grant:g1'

let db: ReplicatedStore
let lifecycle: GrantLifecycle
beforeEach(async () => {
  db = replicatedStore()
  lifecycle = createGrantLifecycle(db.durable, LIFETIMES)
  const now = Math.floor(Date.now() / 1000)
  const versions = await lifecycle.consentVersions.current({ accountId: 'alice' }, 'app')
  await lifecycle.records.create('g1', {
    accountId: 'alice',
    clientId: 'app',
    iat: now,
    exp: now + 3600,
    versions,
  })
})

it('activating a grant rejects while only one server has the activation, although the activation can be read', async () => {
  const listing = await lifecycle.list({
    accountId: 'alice',
    clientId: 'app',
    grantId: 'g1',
    listedAt: Date.now(),
  })
  db.lagFrom(GRANT)
  for (let times = 0; times < 3; times += 1) {
    await expect(lifecycle.activate('g1', undefined, listing)).rejects.toThrow(TOO_FEW)
    expect((await lifecycle.records.get('g1'))?.listedAt).toBe(listing.listedAt)
  }
  db.failOver()
  expect((await lifecycle.records.get('g1'))?.listedAt).toBeUndefined()
  db.replicates = true
  expect(await lifecycle.activate('g1', undefined, listing)).toBe(true)
  expect(await lifecycle.activate('g1', undefined, listing)).toBe(true)
  db.failOver()
  expect((await lifecycle.records.get('g1'))?.listedAt).toBe(listing.listedAt)
})

it('revoking a grant rejects while only one server has the revocation, although the revocation can be read', async () => {
  await lifecycle.activate('g1')
  db.lagFrom(GRANT)
  for (let times = 0; times < 3; times += 1) {
    await expect(lifecycle.revoke('g1')).rejects.toThrow(TOO_FEW)
    expect(isActive(await lifecycle.records.get('g1'))).toBe(false)
  }
  db.failOver()
  expect(await lifecycle.extend('g1')).toBe(true)
  db.replicates = true
  await lifecycle.revoke('g1')
  db.failOver()
  expect(await lifecycle.extend('g1')).toBe(false)
})
