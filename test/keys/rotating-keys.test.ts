// Also runs on: Redis
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatehouseError, type Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { seedKeyRing } from '../support/ready-keys.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { describeEachStore, watchWrites } from '../support/stores.ts'
import { DAY, keyProcess, SECRET } from './key-process.ts'

const NOW = Date.UTC(2030, 0, 1)
const RING = 'signing-keys:ring'

describeEachStore('rotating keys', (makeStore) => {
  const stops: (() => Promise<void>)[] = []
  let data: string

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    data = crypto.randomUUID()
  })
  afterEach(async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()))
    vi.useRealTimers()
  })

  async function start(options?: Parameters<typeof keyProcess>[1], store: Store = makeStore(data)) {
    await seedKeyRing(store, SECRET)
    const started = keyProcess(store, options)
    stops.push(await started.keys.follow())
    return started
  }
  const advanceClock = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  const storedKeys = async () => {
    const text = (await makeStore(data).get(RING)) ?? '{}'
    return (JSON.parse(text) as { keys: { kid: string; state: string; sealed?: string }[] }).keys
  }

  it('a due rotation happens once for all processes and publishes new next keys', async () => {
    const all = [await start(), await start(), await start()]
    const [first] = all as [(typeof all)[number]]
    const before = first.published()
    const old = first.signing()
    const token = await first.sign()
    advanceClock(90 * DAY + 1)
    await Promise.all(all.map(async ({ keys }) => keys.ensureFresh()))
    await vi.waitFor(() => {
      for (const { published } of all) expect(published()).toHaveLength(6)
    })
    for (const one of all) {
      expect(one.published()).toEqual(first.published())
      expect([one.signing('ES256'), one.signing('RS256')]).toEqual([before[2], before[3]])
      expect(await one.verify(token)).toBe(old)
    }
    const emitted = all.flatMap((one) => one.emitted)
    const [, , , , , , ...none] = emitted
    expect(none).toEqual([])
    const added = first.published().filter((kid) => !before.includes(kid))
    expect(emitted.toSorted()).toEqual(
      [
        `activated ES256 ${before[2]}`,
        `activated RS256 ${before[3]}`,
        `published ES256 ${added[0]}`,
        `published RS256 ${added[1]}`,
      ].toSorted(),
    )
  })

  it('private keys are deleted from the store when they are no longer needed', async () => {
    const { keys, list } = await start()
    await keys.rotate()
    const [, , , , es256, rs256] = await list()
    const lengths = (await storedKeys()).map(({ kid, sealed }) => [kid, sealed?.length ?? 0] as const)
    const lengthOf = (line: string | undefined) => lengths.find(([kid]) => line?.endsWith(kid))?.[1] ?? 0
    // The private part makes up most of an RSA key.
    expect(lengthOf(rs256)).toBeGreaterThan(1500)
    expect(lengthOf(es256)).toBeLessThan(lengths.find(([kid]) => !es256?.includes(kid))?.[1] ?? 0)
    const newProcess = keyProcess(makeStore(data))
    stops.push(await newProcess.keys.follow())
    expect(newProcess.keys.ring.signing.filter(({ alg }) => alg === 'ES256')).toHaveLength(1)
    advanceClock(14 * DAY + 2 * 3600)
    await keys.ensureFresh()
    expect((await list()).filter((line) => line.startsWith('retired'))).toHaveLength(2)
    for (const { state, sealed } of await storedKeys()) expect(sealed === undefined).toBe(state === 'retired')
  })

  it('rotate() activates the next keys in every process and publishes new next keys in the same write', async () => {
    const [one, other] = [await start(), await start()]
    const [es1, rs1, es2, rs2] = one.published()
    const token = await one.sign()
    await one.keys.rotate({ actor: 'ops' })
    expect([one.signing('ES256'), one.signing('RS256')]).toEqual([es2, rs2])
    expect(one.published()).toHaveLength(6)
    await vi.waitFor(() => expect(other.published()).toEqual(one.published()))
    expect(other.signing()).toBe(es2)
    expect(await other.verify(await one.sign())).toBe(es2)
    expect(await other.verify(token)).toBe(es1)
    const [, , es3, rs3] = one.published()
    expect(one.emitted.toSorted()).toEqual(
      [
        `activated ES256 ${es2} ops`,
        `activated RS256 ${rs2} ops`,
        `published ES256 ${es3} ops`,
        `published RS256 ${rs3} ops`,
      ].toSorted(),
    )
    expect(other.emitted).toEqual([])
    expect(await one.list()).toEqual([
      `current ES256 ${es2}`,
      `current RS256 ${rs2}`,
      `next ES256 ${es3}`,
      `next RS256 ${rs3}`,
      `previous ES256 ${es1}`,
      `previous RS256 ${rs1}`,
    ])
  })

  it('list() returns times and nothing private', async () => {
    const { keys } = await start()
    advanceClock(DAY)
    await keys.rotate()
    const list = await keys.list()
    const now = Date.now() / 1000
    const made = list.find(({ state }) => state === 'previous')!
    expect(made.createdAt).toBeLessThanOrEqual(now)
    expect(made).toMatchObject({ since: now, until: now + 10 * DAY + 3600 + 120 })
    expect(list[0]).toMatchObject({ state: 'current', since: now, until: now + 90 * DAY })
    expect(list[2]).toMatchObject({ state: 'next', createdAt: now, since: now, until: now + 90 * DAY })
    for (const info of list) {
      expect(Object.keys(info).toSorted()).toEqual(['alg', 'createdAt', 'kid', 'since', 'state', 'until'])
    }
  })

  it('revoking the signing key removes the key in every process, activates another key and revokes the tokens of the key', async () => {
    const [one, other] = [await start(), await start()]
    const [es1, , es2] = one.published() as [string, string, string]
    const token = await other.sign()
    await one.keys.revoke(es1, { actor: 'ops' })
    expect(one.published()).not.toContain(es1)
    expect(one.signing()).toBe(es2)
    const until = Date.now() / 1000 + 10 * DAY + 3600 + 120
    expect(one.revoked).toEqual([{ kid: es1, until, actor: 'ops' }])
    expect(other.revoked).toEqual([])
    await vi.waitFor(() => expect(other.published()).not.toContain(es1))
    await expect(other.verify(token)).rejects.toMatchObject({ code: 'ERR_JWKS_NO_MATCHING_KEY' })
    expect(await other.verify(await one.sign())).toBe(es2)
    expect(one.emitted.slice(0, 2)).toEqual([`revoked ES256 ${es1} ops`, `activated ES256 ${es2} ops`])
    expect((await storedKeys()).find(({ kid }) => kid === es1)).not.toHaveProperty('sealed')
    // A new next key is generated in the background.
    await vi.waitFor(async () => expect(await one.list()).toHaveLength(5))
    expect((await one.list()).filter((line) => line.startsWith('next ES256'))).toHaveLength(1)
  })

  it('if a process crashes while it revokes a key, other processes revoke the tokens of the key', async () => {
    const failure = new Error('crashed')
    const one = await start({ revokeKey: () => Promise.reject(failure) })
    const other = await start({ takeOverAfterMs: 20 })
    const [es1] = one.published() as [string]
    await expect(one.keys.revoke(es1)).rejects.toThrow(failure)
    await vi.waitFor(() => expect(other.revoked.map(({ kid }) => kid)).toEqual([es1]))
    // A process that starts afterwards revokes the tokens again at once, unless it knows the revocation.
    const late = await start()
    expect(late.revoked.map(({ kid }) => kid)).toEqual([es1])
    const informed = await start({ isKeyRevoked: (kid) => kid === es1 })
    expect(informed.revoked).toEqual([])
    expect([...late.emitted, ...informed.emitted]).toEqual([])
  })

  it('repeating revoke() completes a failed revocation and changes no key', async () => {
    let fails = true
    const revokeKey = () => (fails ? Promise.reject(new Error('away')) : Promise.resolve())
    // The process knows the revocation, although the write of the revocation has failed.
    const one = await start({ revokeKey, isKeyRevoked: () => true })
    const [es1] = one.published() as [string]
    await expect(one.keys.revoke(es1)).rejects.toThrow('away')
    const emitted = one.emitted.length
    fails = false
    await one.keys.revoke(es1, { actor: 'ops' })
    expect(one.revoked).toMatchObject([{ kid: es1, actor: 'ops' }])
    expect(one.emitted.slice(emitted).filter((line) => !line.startsWith('published'))).toEqual([])
  })

  it('revoke() of the only key that can sign generates another key first', async () => {
    const store = makeStore(data)
    await seedKeyRing(store, SECRET)
    const ring = JSON.parse((await store.get(RING)) ?? '') as { keys: { state: string }[] }
    await store.set(
      RING,
      JSON.stringify({ ...ring, keys: ring.keys.filter(({ state }) => state !== 'next') }),
    )
    const one = await start()
    const [es1, rs1] = one.published() as [string, string]
    await one.keys.revoke(es1)
    expect(one.published()).not.toContain(es1)
    expect(one.signing('RS256')).toBe(rs1)
    expect(await one.verify(await one.sign())).toBe(one.signing())
    expect(one.emitted.map((line) => line.split(' ', 2).join(' ')).slice(0, 3)).toEqual([
      'revoked ES256',
      'published ES256',
      'activated ES256',
    ])
  })

  it('revoke() rejects an unknown key and an invalid actor, and writes nothing', async () => {
    const { store, writes } = watchWrites(makeStore(data))
    const { keys, revoked, signing } = await start({}, store)
    writes.length = 0
    await expect(keys.revoke('unknown')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' })
    for (const actor of ['', 'a\nb', 7 as never]) {
      await expect(keys.revoke(signing(), { actor })).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
      await expect(keys.rotate({ actor })).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' })
    }
    expect(writes).toEqual([])
    expect(revoked).toEqual([])
  })

  it('tokens with unknown keys make a process poll the keys, at most once a second on average', async () => {
    const one = await start()
    const faulty = faultyStore({ ...makeStore(data), subscribe: async () => async () => {} })
    const unsubscribed = await start({}, faulty.store)
    await one.keys.rotate()
    await one.keys.rotate()
    const [good, made] = [await one.sign(), await tokenOfAnother()]
    const unknown = { code: 'ERR_JWKS_NO_MATCHING_KEY' }
    const reads = () => faulty.calls.filter((call) => call === `get ${RING}`).length
    faulty.arm()
    expect(await unsubscribed.verify(good)).toBe(one.signing())
    expect(reads()).toBe(1)
    await Promise.all(
      Array.from({ length: 20 }, () => expect(unsubscribed.verify(made)).rejects.toMatchObject(unknown)),
    )
    for (let polls = reads(); polls < 5; polls += 1) {
      await expect(unsubscribed.verify(made)).rejects.toMatchObject(unknown)
    }
    expect(reads()).toBe(5)
    // From now on tokens with unknown keys are rejected without a poll, until the next poll is allowed.
    for (let i = 0; i < 20; i += 1) await expect(unsubscribed.verify(made)).rejects.toMatchObject(unknown)
    expect(await unsubscribed.verify(good)).toBe(one.signing())
    expect(reads()).toBe(5)
  })

  it('while the store is unavailable, a token with an unknown key is rejected as such, and the cause is logged at debug only', async () => {
    const faulty = faultyStore(makeStore(data))
    const one = await start({}, faulty.store)
    const token = await one.sign()
    const made = await tokenOfAnother()
    faulty.goAway()
    const unknown = { code: 'ERR_JWKS_NO_MATCHING_KEY' }
    for (let i = 0; i < 7; i += 1) await expect(one.verify(made)).rejects.toMatchObject(unknown)
    expect(await one.verify(token)).toBe(one.signing())
    faulty.comeBack()
  })

  it('a process whose keys were not confirmed for an hour polls the keys before it signs', async () => {
    const faulty = faultyStore(makeStore(data))
    const one = await start({}, faulty.store)
    faulty.arm()
    advanceClock(3600)
    await one.keys.ensureFresh()
    expect(faulty.calls).toEqual([])
    advanceClock(1)
    faulty.goAway()
    await expect(one.keys.ensureFresh()).rejects.toThrow('ECONNRESET')
    faulty.comeBack()
    faulty.arm()
    await one.keys.ensureFresh()
    expect(faulty.calls).toContain(`get ${RING}`)
    faulty.arm()
    await one.keys.ensureFresh()
    expect(faulty.calls).toEqual([])
  })

  it('a process that knows the revocation of its signing key polls the keys before it signs', async () => {
    let revokedKid = ''
    const faulty = faultyStore({ ...makeStore(data), subscribe: async () => async () => {} })
    const [one, unsubscribed] = [
      await start(),
      await start({ isKeyRevoked: (kid) => kid === revokedKid }, faulty.store),
    ]
    const [es1, , es2] = one.published() as [string, string, string]
    await one.keys.revoke(es1)
    await unsubscribed.keys.ensureFresh()
    expect(unsubscribed.signing()).toBe(es1)
    revokedKid = es1
    await unsubscribed.keys.ensureFresh()
    expect(unsubscribed.signing()).toBe(es2)
    faulty.arm()
    await unsubscribed.keys.ensureFresh()
    expect(faulty.calls).toEqual([])
  })

  it.each(['rejected', 'unanswered'] as const)(
    'if a write of the key ring is %s, the keys still rotate exactly once, and each event is emitted once',
    async (fault) => {
      const faulty = faultyStore(makeStore(data))
      const one = await start({ takeOverAfterMs: 20 }, faulty.store)
      const [, , es2] = one.published()
      advanceClock(91 * DAY)
      faulty.arm('replace signing-keys', fault)
      await one.keys.ensureFresh()
      advanceClock(3601)
      await one.keys.ensureFresh()
      expect(one.signing()).toBe(es2)
      await vi.waitFor(() => expect(one.emitted).toHaveLength(4))
      expect(one.emitted.filter((line) => line.startsWith('activated ES256'))).toEqual([
        `activated ES256 ${es2}`,
      ])
    },
  )

  it('a ring without a key that can sign gets new keys before anything is signed', async () => {
    const store = makeStore(data)
    await store.set(RING, '{"v":1,"id":"empty","keys":[]}')
    const one = await start({ takeOverAfterMs: 20 })
    expect(one.keys.ring.signing.map(({ alg }) => alg)).toEqual(['ES256', 'RS256'])
    await vi.waitFor(() => expect(one.published()).toHaveLength(4))
  })

  it('a ring without next keys stays in use and gets next keys', async () => {
    const store = makeStore(data)
    await seedKeyRing(store, SECRET)
    const { keys } = JSON.parse((await store.get(RING)) ?? '') as { keys: Record<string, unknown>[] }
    const createdAt = NOW / 1000 - 200 * DAY
    const first = keys
      .filter(({ state }) => state === 'current')
      .map(({ kid, alg, state, sealed }) => ({ kid, alg, state, createdAt, since: createdAt, sealed }))
    await store.set(RING, JSON.stringify({ v: 1, id: 'without next keys', keys: first }))
    const one = await start({ takeOverAfterMs: 20 })
    const [es1, rs1] = first.map(({ kid }) => kid)
    expect(one.published().slice(0, 2)).toEqual([es1, rs1])
    await vi.waitFor(() => expect(one.published()).toHaveLength(4))
    // The key has signed for more than 90 days. The key still signs, because the next key must first be
    // published for a day.
    expect(one.signing()).toBe(es1)
    const [signing] = await one.keys.list()
    expect(signing).toMatchObject({ kid: es1, createdAt })
    expect(signing?.until).toBeGreaterThanOrEqual(NOW / 1000 + DAY + 60)
    advanceClock(DAY + 61)
    await one.keys.ensureFresh()
    expect(one.signing()).toBe(one.published()[0])
    expect(one.signing()).not.toBe(es1)
    expect(one.published()).toContain(es1)
  })

  it('a process without the newest secret uses its keys until another process rotates the keys, and writes nothing', async () => {
    const [OLD, NEW] = [SECRET, 'the secret of tomorrow, also long enough']
    const { store, writes } = watchWrites(makeStore(data))
    const error = vi.fn()
    const logger = { debug() {}, info() {}, warn: error, error }
    const old = await start({ secrets: [OLD], logger }, store)
    const es1 = old.signing()
    writes.length = 0
    const young = await start({ secrets: [NEW, OLD] })
    expect(young.signing()).toBe(es1)
    await expect(old.keys.list()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    await expect(old.keys.rotate()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    advanceClock(3601)
    await old.keys.ensureFresh()
    expect(old.signing()).toBe(es1)
    await young.keys.rotate()
    advanceClock(3601)
    await expect(old.keys.ensureFresh()).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
    expect(writes).toEqual([])
    expect(error.mock.calls.flat().join()).not.toContain(NEW)
    await young.keys.list()
  })

  it('if the keys could not be encrypted under the newest secret at the start, the next rotation encrypts all keys under this secret', async () => {
    const NEW = 'the secret of tomorrow, also long enough'
    const faulty = faultyStore(makeStore(data))
    await seedKeyRing(faulty.store, SECRET)
    faulty.arm('replace signing-keys')
    const one = keyProcess(faulty.store, { secrets: [NEW, SECRET] })
    stops.push(await one.keys.follow())
    await expect(keyProcess(makeStore(data), { secrets: [NEW] }).keys.follow()).rejects.toMatchObject({
      code: 'ERR_SECRET_MISMATCH',
    })
    await one.keys.rotate()
    const other = keyProcess(makeStore(data), { secrets: [NEW] })
    stops.push(await other.keys.follow())
    expect(other.published()).toEqual(one.published())
  })

  it('a closed process neither polls nor writes', async () => {
    const { store, writes } = watchWrites(makeStore(data))
    const one = await start({}, store)
    const other = await start()
    const before = one.published()
    await stops[0]?.()
    writes.length = 0
    await other.keys.rotate()
    advanceClock(100 * DAY)
    expect(one.published()).toEqual(before)
    expect(writes).toEqual([])
  })

  describe('importing the key ring of another store', () => {
    const NEW = 'the secret of tomorrow, which is long enough'

    /** Starts a process on another store, whose ring is encrypted under `SECRET`. */
    async function another(options?: Parameters<typeof keyProcess>[1]) {
      const store = makeStore(`${data} old`)
      const old = keyProcess(store, options)
      stops.push(await old.keys.follow())
      return old
    }

    /** Imports into a store on which no process has started. */
    const importInto = async (store: Store, text: string, secrets: readonly string[] = [SECRET]) =>
      (await keyProcess(store, { secrets }).keys.exportable!.unseal(text))()

    async function begin(secrets: readonly string[] = [SECRET]) {
      const started = keyProcess(makeStore(data), { secrets })
      stops.push(await started.keys.follow())
      return started
    }

    it('an empty store gets the keys of the imported ring, encrypted under the newest secret of the importing process', async () => {
      const old = await another()
      await old.keys.rotate()
      await vi.waitFor(() => expect(old.published()).toHaveLength(6))
      const oldToken = await old.sign()
      const text = await old.keys.exportable!.toText()
      expect(await old.keys.exportable!.toText()).toBe(text)
      expect(await importInto(makeStore(data), text, [NEW, SECRET])).toBe(6)

      // The old secret is no longer needed.
      const [one, other] = [await begin([NEW]), await begin([NEW])]
      for (const { signing, verify, published } of [one, other]) {
        expect(signing()).toBe(old.signing())
        expect(signing('RS256')).toBe(old.signing('RS256'))
        expect(await verify(oldToken)).toBe(old.signing())
        expect(published()).toEqual(old.published())
      }
      expect(await one.keys.list()).toEqual(await old.keys.list())
      expect([...one.emitted, ...other.emitted]).toEqual([])

      // A repeated import writes the same ring again, because the last write may not be durable.
      const { writes, store } = watchWrites(makeStore(data))
      const before = await store.get(RING)
      expect(await importInto(store, text, [NEW, SECRET])).toBe(0)
      expect(writes.filter((write) => !write.endsWith('changes:unfinished'))).toEqual([`replace ${RING}`])
      expect(await store.get(RING)).toBe(before)
    })

    it('a key that was revoked in the exporting store after an import is revoked by the next import', async () => {
      const old = await another()
      await importInto(makeStore(data), await old.keys.exportable!.toText())
      const one = await begin()
      const es1 = old.signing()
      expect(one.signing()).toBe(es1)
      await old.keys.revoke(es1)
      expect(await (await one.keys.exportable!.unseal(await old.keys.exportable!.toText()))()).toBe(0)
      expect(one.signing()).not.toBe(es1)
      expect(one.published()).not.toContain(es1)
      expect(one.revoked.map(({ kid }) => kid)).toEqual([es1])
    })

    it('a store with different keys, and a store that has lost its ring, reject an imported ring', async () => {
      const text = await (await another()).keys.exportable!.toText()
      const { writes, store } = watchWrites(makeStore(data))
      const [one, other] = [await begin(), keyProcess(store)]
      const keys = await one.list()
      const conflict = { code: 'ERR_CONFLICT', message: expect.stringContaining('Nothing was changed') }
      for (const { exportable } of [one.keys, other.keys]) {
        await expect(exportable!.unseal(text)).rejects.toMatchObject(conflict)
      }
      expect(writes).toEqual([])
      expect(await one.list()).toEqual(keys)

      await store.delete(RING)
      for (const { exportable } of [one.keys, keyProcess(store).keys]) {
        await expect(exportable!.unseal(text)).rejects.toMatchObject(conflict)
      }
      expect(await store.get(RING)).toBeUndefined()
    })

    it('if two different rings are imported at once, one ring is imported and the other ring is rejected', async () => {
      const first = await (await another()).keys.exportable!.toText()
      const own = keyProcess(makeStore(`${data} third`))
      stops.push(await own.keys.follow())
      const second = await own.keys.exportable!.toText()
      const store = makeStore(data)
      const puts = await Promise.all(
        [first, second].map((text) => keyProcess(store).keys.exportable!.unseal(text)),
      )
      const results = await Promise.allSettled(puts.map((put) => put()))
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const failed = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult
      expect(failed.reason).toMatchObject({ code: 'ERR_CONFLICT' })
    })

    it('an imported ring from a store whose clock was years ahead rotates when the rotation is due', async () => {
      vi.setSystemTime(NOW + 40 * 365 * DAY * 1000)
      const old = await another()
      const text = await old.keys.exportable!.toText()
      vi.setSystemTime(NOW)
      await importInto(makeStore(data), text)
      const one = await begin()
      expect(one.signing()).toBe(old.signing())
      advanceClock(90 * DAY + 1)
      await one.keys.ensureFresh()
      await vi.waitFor(() => expect(one.signing()).not.toBe(old.signing()))
      expect(old.published()).toContain(one.signing())
    })

    it('an imported ring is rejected if no secret decrypts it or if it is corrupt, and nothing is written', async () => {
      const text = await (await another()).keys.exportable!.toText()
      const { writes, store } = watchWrites(makeStore(data))
      const { unseal } = keyProcess(store, { secrets: [NEW] }).keys.exportable!
      await expect(unseal(text)).rejects.toMatchObject({
        code: 'ERR_SECRET_MISMATCH',
        message: expect.stringMatching(/imported/),
      })
      const { keys } = JSON.parse(text) as { keys: Record<string, unknown>[] }
      const spoilt = [
        { kid: '' },
        { alg: 'none' },
        { state: 'planted' },
        { since: -1 },
        { createdAt: 1e15 },
        { sealed: undefined },
        { kid: keys[1]?.['kid'] },
      ]
      for (const change of spoilt) {
        const planted = JSON.stringify({ v: 1, id: 'x', keys: keys.with(0, { ...keys[0], ...change }) })
        await expect(unseal(planted)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
      }
      for (const none of ['{"v":1,"id":"x","keys":[]}', '{"v":1,"id":"x"}', '{"v":2,"id":"x","keys":[]}']) {
        await expect(unseal(none)).rejects.toMatchObject({ code: 'ERR_STORE_CORRUPT' })
      }
      expect(writes).toEqual([])
    })
  })

  /** Signs a token with a key of another store. */
  async function tokenOfAnother(): Promise<string> {
    const store = makeStore(`${data} another`)
    await store.create(RING, '{"v":1,"id":"empty","keys":[]}')
    const stranger = keyProcess(store)
    stops.push(await stranger.keys.follow())
    return stranger.sign()
  }
})

// Fixed bug: the ring was read, and missing keys were generated, ten times a second.
it('while the ring can be read and not written, a process with a due rotation polls every two seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: NOW })
  const inner = memoryStore()
  await seedKeyRing(inner, SECRET)
  const store = { ...inner }
  const { keys } = keyProcess(store)
  const stop = await keys.follow()
  const replace = vi.fn(async () => {
    throw new GatehouseError('ERR_STORE_UNAVAILABLE', 'out of memory')
  })
  store.replace = replace
  let reads = 0
  store.get = (key) => {
    if (key === RING) reads += 1
    return inner.get(key)
  }
  vi.setSystemTime(NOW + 91 * DAY * 1000)
  await keys.ensureFresh()
  expect(replace).toHaveBeenCalled()
  reads = 0
  await vi.advanceTimersByTimeAsync(1900)
  expect(reads).toBe(0)
  await vi.advanceTimersByTimeAsync(200)
  expect(reads).toBeGreaterThan(0)
  await stop()
  vi.useRealTimers()
})
