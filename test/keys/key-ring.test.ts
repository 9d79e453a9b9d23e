// Also runs on: Redis
import { calculateJwkThumbprint, compactDecrypt, importJWK, jwtVerify, SignJWT, type JWK } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { deriveKey } from '../../src/keys/derive-key.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { viewOf } from '../../src/keys/key-ring.ts'
import { loadRing } from '../../src/keys/key-ring-loader.ts'
import { createKeyRingRecords } from '../../src/keys/key-ring-record.ts'
import { createLogMarks } from '../../src/revocation/log-marks.ts'
import { createEncryption, type Encryption } from '../../src/keys/encryption.ts'
import type { Store } from 'koa-gatehouse'
import { commitsOf } from '../support/commits.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { describeEachStore, watchWrites } from '../support/stores.ts'

const TODAY = 'the secret of today, which is long enough'
const YESTERDAY = 'the secret of yesterday, also long enough'
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']
const KEY = 'signing-keys:ring'

async function loadWith(store: Store, encryption: Encryption<JWK>, logger = silentLogger) {
  const records = createKeyRingRecords(store, encryption)
  const commits = commitsOf(store)
  try {
    const { ring } = await loadRing({ records, marks: createLogMarks(store), commits, logger })
    return viewOf(ring.keys)
  } finally {
    // The entries of new keys are moved from the ring to the audit trail in the background.
    await vi.waitFor(async () => expect(await store.range('changes:unfinished', { limit: 1 })).toEqual([]))
  }
}
const load = (store: Store, ...secrets: string[]) =>
  loadWith(store, createEncryption<JWK>(secrets, 'signing-keys'))
const kids = (keys: readonly JWK[]) => keys.map(({ kid }) => kid)

describeEachStore('the key ring', (makeStore) => {
  it('a new key ring has a current and a next key for access tokens and for ID tokens, named after their thumbprints', async () => {
    const { signing, published } = await load(makeStore(), TODAY)
    // The third key is the next key for ID tokens. It is included because another process may
    // sign with it soon.
    expect(signing.map(({ alg, use }) => ({ alg, use }))).toEqual([
      { alg: 'ES256', use: 'sig' },
      { alg: 'RS256', use: 'sig' },
      { alg: 'RS256', use: 'sig' },
    ])
    const [{ kid, ...jwk }] = signing as [JWK]
    expect(kid).toBe(await calculateJwkThumbprint(jwk))
    expect(published.keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256', 'ES256', 'RS256'])
    expect(new Set(kids(published.keys)).size).toBe(4)
    expect(kids(published.keys).slice(0, 2)).toEqual(kids(signing).slice(0, 2))
    expect(kids(published.keys)[3]).toBe(kids(signing)[2])
  })

  it('the key ring publishes only public keys, which verify the tokens of the private keys', async () => {
    const { signing, published } = await load(makeStore(), TODAY)
    for (const jwk of published.keys) {
      expect(Object.keys(jwk).filter((member) => PRIVATE.includes(member))).toEqual([])
    }
    for (const jwk of signing) {
      const { alg, kid } = jwk
      const token = await new SignJWT({ ok: true })
        .setProtectedHeader({ alg, kid })
        .sign(await importJWK(jwk, alg))
      const key = published.keys.find((one) => one.kid === kid)
      expect((await jwtVerify(token, await importJWK(key as JWK, alg))).payload).toEqual({ ok: true })
    }
  })

  it('processes that start at the same moment create one key ring', async () => {
    const data = 'four at once'
    const stores = Array.from({ length: 4 }, () => makeStore(data))
    const rings = await Promise.all(stores.map((store) => load(store, TODAY)))
    for (const ring of rings) expect(ring).toEqual(rings[0])
    expect(await load(makeStore(data), TODAY)).toEqual(rings[0])
  })

  it('a start with a secret that does not decrypt the stored keys fails with ERR_SECRET_MISMATCH and writes nothing', async () => {
    const data = 'another secret'
    const before = await load(makeStore(data), YESTERDAY)
    const { store, writes } = watchWrites(makeStore(data))
    const text = await store.get(KEY)
    await expect(load(store, TODAY)).rejects.toMatchObject({
      name: 'GatehouseError',
      code: 'ERR_SECRET_MISMATCH',
      message: expect.not.stringContaining(TODAY),
    })
    expect(writes).toEqual([])
    expect(await store.get(KEY)).toBe(text)
    expect(await load(store, TODAY, YESTERDAY)).toEqual(before)
  })

  it('a start re-encrypts keys that are encrypted under an older secret (fixed bug: the older secret could never be removed)', async () => {
    const data = 'sealed again'
    const before = await load(makeStore(data), YESTERDAY)
    const stores = Array.from({ length: 4 }, () => watchWrites(makeStore(data)))
    const rings = await Promise.all(stores.map(({ store }) => load(store, TODAY, YESTERDAY)))
    for (const ring of rings) expect(ring).toEqual(before)
    const { store, writes } = watchWrites(makeStore(data))
    expect(await load(store, TODAY)).toEqual(before)
    expect(await load(store, TODAY, YESTERDAY)).toEqual(before)
    expect(writes).toEqual([])
    await expect(load(store, YESTERDAY)).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
  })

  it('a failure to encrypt the keys again is logged and does not fail the start', async () => {
    const data = 'not sealed again'
    const before = await load(makeStore(data), YESTERDAY)
    const faulty = faultyStore(makeStore(data))
    faulty.arm('replace signing-keys')
    const warn = vi.fn()
    const logger = { ...silentLogger, warn }
    const encryption = createEncryption<JWK>([TODAY, YESTERDAY], 'signing-keys')
    expect(await loadWith(faulty.store, encryption, logger)).toEqual(before)
    expect(warn).toHaveBeenCalledOnce()
    expect(await load(makeStore(data), YESTERDAY)).toEqual(before)
    expect(await loadWith(faulty.store, encryption, logger)).toEqual(before)
    expect(warn).toHaveBeenCalledOnce()
    expect(await load(makeStore(data), TODAY)).toEqual(before)
  })

  it('a corrupt ring record fails with ERR_STORE_CORRUPT and stays unchanged', async () => {
    const store = makeStore()
    for (const [text, message] of [
      ['garbage', KEY],
      ['{"v":1,"keys":[{"kid":"a"', KEY],
      ['[]', KEY],
      ['{"v":2,"id":"a","keys":[]}', 'start the newer version'],
      ['{"v":1,"id":"a","keys":{}}', KEY],
      ['{"id":"a","keys":[]}', KEY],
    ] as const) {
      await store.set(KEY, text)
      await expect(load(store, TODAY), text).rejects.toMatchObject({
        code: 'ERR_STORE_CORRUPT',
        message: expect.stringContaining(message),
      })
      expect(await store.get(KEY)).toBe(text)
    }
  })

  it('a ring whose encrypted keys were swapped is rejected', async () => {
    const store = makeStore()
    await load(store, TODAY)
    const record = JSON.parse((await store.get(KEY)) ?? '') as { keys: { sealed: string }[] }
    const [one, other] = record.keys as [{ sealed: string }, { sealed: string }]
    ;[one.sealed, other.sealed] = [other.sealed, one.sealed]
    await store.set(KEY, JSON.stringify(record))
    await expect(load(store, TODAY)).rejects.toMatchObject({ code: 'ERR_SECRET_MISMATCH' })
  })
})

describe('the encryption of private keys', () => {
  const jwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'private-part', kid: 'kid' }

  it('a key is decrypted with its secret, even if that secret is an older entry of the list', async () => {
    const sealed = await createEncryption<JWK>([YESTERDAY], 'signing-keys').seal(jwk)
    expect(sealed).not.toContain(Buffer.from('private-part').toString('base64url'))
    expect(await createEncryption<JWK>([YESTERDAY], 'signing-keys').unseal(sealed)).toEqual({
      value: jwk,
      isOutdated: false,
    })
    const rotated = await createEncryption<JWK>([TODAY, YESTERDAY], 'signing-keys').unseal(sealed)
    expect(rotated).toEqual({ value: jwk, isOutdated: true })
    expect(await createEncryption<JWK>([TODAY], 'signing-keys').unseal(sealed)).toBeUndefined()
  })

  it('a key is encrypted with the newest secret and A256GCM', async () => {
    const sealed = await createEncryption<JWK>([TODAY, YESTERDAY], 'signing-keys').seal(jwk)
    const { protectedHeader } = await compactDecrypt(sealed, deriveKey(TODAY, 'signing-keys'))
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM' })
    expect(await createEncryption<JWK>([YESTERDAY], 'signing-keys').unseal(sealed)).toBeUndefined()
  })

  it('a text that was changed or truncated, or that is not a JWE, is not decrypted', async () => {
    const encryption = createEncryption<JWK>([TODAY], 'signing-keys')
    const sealed = await encryption.seal(jwk)
    const parts = sealed.split('.')
    const other = (await encryption.seal({ ...jwk, kid: 'other' })).split('.')
    for (const text of [
      '',
      'garbage',
      sealed.slice(0, -4),
      parts.with(3, other[3] ?? '').join('.'),
      parts.with(0, Buffer.from('{"alg":"dir","enc":"A128GCM"}').toString('base64url')).join('.'),
    ]) {
      expect(await encryption.unseal(text)).toBeUndefined()
    }
  })

  it('creating the encryption without a secret throws', () => {
    expect(() => createEncryption<JWK>([], 'signing-keys')).toThrow(TypeError)
  })
})

describe('the keys that are derived from a secret', () => {
  const purposes = ['cookies', 'csrf', 'refresh-tokens', 'signing-keys'] as const

  it('deriving a key of 32 bytes gives the same key each time, and a different key for each purpose and each secret', () => {
    const keys = [TODAY, YESTERDAY].flatMap((secret) =>
      purposes.map((purpose) => deriveKey(secret, purpose).toString('hex')),
    )
    expect(new Set(keys).size).toBe(8)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(deriveKey(TODAY, 'csrf')).toEqual(deriveKey(TODAY, 'csrf'))
  })

  it('a derived key stays the same from release to release', () => {
    expect(deriveKey('a secret that never changes, for tests', 'signing-keys').toString('base64url')).toBe(
      '5NnLPWSSIki7mEhqjEKB5QiQUNKdb0yGRYcUAiXEToU',
    )
  })
})
