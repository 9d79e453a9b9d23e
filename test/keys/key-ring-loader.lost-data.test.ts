// Also runs on: Redis
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkKeys } from '../../src/health/key-check.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { seedKeyRing } from '../support/ready-keys.ts'
import { describeEachStore } from '../support/stores.ts'
import { keyProcess, SECRET } from './key-process.ts'

const RING = 'signing-keys:ring'
const LOG = 'revocations:buckets'

describeEachStore('keys in a store that loses data', (makeStore) => {
  const stops: (() => Promise<void>)[] = []
  let data: string
  beforeEach(() => {
    data = crypto.randomUUID()
  })
  afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

  /** Starts a process that follows the key ring until the end of the test. */
  async function start(options: Parameters<typeof keyProcess>[1] = {}, store = makeStore(data)) {
    const started = keyProcess(store, options)
    stops.push(await started.keys.follow())
    return started
  }
  async function startFirst(options: Parameters<typeof keyProcess>[1] = {}) {
    await seedKeyRing(makeStore(data), SECRET)
    return start(options)
  }
  async function loseLog(): Promise<void> {
    const store = makeStore(data)
    for (const member of await store.range(LOG, { limit: 100 })) await store.remove(LOG, member)
  }
  const loseRing = () => makeStore(data).delete(RING)
  const live = (list: readonly string[]) => list.filter((line) => /^(current|next|previous)/.test(line))
  const check = ({ keys }: { keys: { condition: Parameters<typeof checkKeys>[0] } }) =>
    checkKeys(keys.condition, Date.now())

  it('a lost key ring is replaced by one new ring in all processes, and the old keys are revoked', async () => {
    const [one, other] = [await startFirst(), await start()]
    const before = one.published()
    await loseRing()
    await loseLog()
    await Promise.all([one.list(), other.list()])
    expect(one.published()).toHaveLength(4)
    expect(one.published().filter((kid) => before.includes(kid))).toEqual([])
    expect(other.published()).toEqual(one.published())
    const list = await one.list()
    expect(list.filter((line) => line.startsWith('revoked'))).toHaveLength(4)
    await vi.waitFor(() => {
      const revoked = [...one.revoked, ...other.revoked].map(({ kid }) => kid)
      expect(revoked.toSorted()).toEqual(before.toSorted())
    })
    // Only the process that replaced the ring emits events.
    const emitted = [...one.emitted, ...other.emitted].map((line) => line.split(' ')[0])
    expect(emitted.filter((what) => what === 'revoked')).toHaveLength(4)
    expect(emitted.filter((what) => what === 'activated')).toHaveLength(2)
    expect((await start()).published()).toEqual(one.published())
    expect(check(one)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('the signing keys and the revocation log'),
      remedy: expect.stringContaining('importRegistry(lines, { signingKeys: false })'),
    })
  })

  it('if only the key ring is lost, a process that starts replaces the ring, and health reports the loss', async () => {
    const one = await startFirst()
    const before = one.published()
    await loseRing()
    const late = await start()
    expect(late.published().filter((kid) => before.includes(kid))).toEqual([])
    await one.list()
    expect(one.published()).toEqual(late.published())
    for (const process of [one, late]) {
      expect(check(process)).toMatchObject({
        status: 'warn',
        message: expect.stringContaining('has lost the signing keys, but not the revocation log'),
      })
    }
  })

  it('if only the revocation log is lost, a process that starts replaces the key ring', async () => {
    const one = await startFirst()
    const before = one.published()
    await loseLog()
    const late = await start()
    expect(late.published().filter((kid) => before.includes(kid))).toEqual([])
    await vi.waitFor(() => expect(late.revoked.map(({ kid }) => kid).toSorted()).toEqual(before.toSorted()))
    await one.list()
    expect(one.published()).toEqual(late.published())
    expect(check(one)).toMatchObject({
      status: 'warn',
      message: expect.stringContaining('has lost the revocation log, but not the signing keys'),
    })
    // Later reads and starts do not replace the ring again.
    const after = one.published()
    await one.list()
    await start()
    expect(one.published()).toEqual(after)
  })

  it('health reports a loss of data for a week', async () => {
    const one = await startFirst()
    await loseRing()
    await one.list()
    const { condition } = one.keys
    const after = (days: number) => {
      const now = Date.now() + days * 86_400_000
      return checkKeys({ ...condition, confirmedAt: now }, now).message
    }
    expect(after(6)).toContain('has lost')
    expect(after(8)).not.toContain('has lost')
  })

  it('if a failover restores an older key ring, a process adopts the ring and does not replace it', async () => {
    const one = await startFirst()
    const older = (await makeStore(data).get(RING)) ?? ''
    const before = one.published()
    await one.keys.rotate()
    expect(one.published()).not.toEqual(before)
    await makeStore(data).set(RING, older)
    await one.list()
    expect(one.published()).toEqual(before)
    expect(one.revoked).toEqual([])
    expect(check(one).status).toBe('pass')
  })

  it('several processes that start on an empty store report no loss', async () => {
    const all = await Promise.all([start(), start(), start(), start()])
    for (const one of all) {
      await one.list()
      expect(one.published()).toEqual(all[0].published())
      expect(one.keys.condition.replaced).toBeUndefined()
      expect(one.emitted.filter((line) => line.startsWith('revoked'))).toEqual([])
    }
    expect(await makeStore(data).range(LOG, { limit: 100 })).toHaveLength(1)
  })

  it('a ring of an earlier release, which names no revocation log, is kept, and the name of the log is added to the ring', async () => {
    const one = await startFirst()
    const before = one.published()
    const { log, ...ring } = JSON.parse((await makeStore(data).get(RING)) ?? '') as Record<string, unknown>
    expect(log).toEqual(expect.any(String))
    await makeStore(data).set(RING, JSON.stringify(ring))
    await one.list()
    expect(one.published()).toEqual(before)
    await loseLog()
    await one.list()
    expect(one.published()).not.toEqual(before)
  })

  it('old keys whose tokens could not be revoked at once are revoked by a later poll', async () => {
    let isAway = true
    const revokeKey = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve())
    const one = await startFirst({ revokeKey, isKeyRevoked: () => true, takeOverAfterMs: 50 })
    const before = one.published()
    await loseRing()
    await one.list()
    expect(one.revoked).toEqual([])
    isAway = false
    // A token with an unknown key causes a poll. Each poll revokes the old keys that are not revoked yet.
    await one.verify('eyJhbGciOiJFUzI1NiIsImtpZCI6InVua25vd24ifQ.e30.AAAA').catch(() => {})
    await vi.waitFor(async () => {
      await one.verify('eyJhbGciOiJFUzI1NiIsImtpZCI6InVua25vd24ifQ.e30.AAAA').catch(() => {})
      expect(one.revoked.map(({ kid }) => kid).toSorted()).toEqual(before.toSorted())
    })
  })

  it('while the store is unavailable, no key is replaced', async () => {
    const faulty = faultyStore(makeStore(data))
    await seedKeyRing(faulty.store, SECRET)
    const one = await start({}, faulty.store)
    const before = one.published()
    faulty.goAway()
    await expect(one.list()).rejects.toThrow('ECONNRESET')
    faulty.comeBack()
    faulty.arm('range revocations')
    await expect(one.list()).rejects.toThrow('ECONNRESET')
    await one.list()
    expect(one.published()).toEqual(before)
    expect(live(await one.list())).toHaveLength(4)
  })
})
