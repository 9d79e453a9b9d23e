import type { JWK } from 'jose'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { generateSigningKey } from '../../src/keys/generate-key.ts'
import { replenish } from '../../src/keys/rotation-policy.ts'
import { createKeyRingRecords, type OpenKey } from '../../src/keys/key-ring-record.ts'
import { createEncryption } from '../../src/keys/encryption.ts'
import { rsaKeys } from './rsa-keys.ts'

const RING = 'signing-keys:ring'
const HOUR = 3_600_000

/** The rings by secret. Tests with a clock of their own need a ring of their time. */
const rings = new Map<string, { readonly at: number; readonly ring: Promise<string> }>()

/**
 * Stores a key ring for a host that is about to start, unless the store has a key ring. The host then makes
 * no RSA key. Making an RSA key takes as long as most flows. Other tests cover the start on an empty store.
 *
 * @param secret the host's secret
 * @param waitMs how long to wait for the store, which some tests make unavailable before they start a host. On a busy machine,
 *   the first answer of a cluster takes longer than 100 ms
 */
export async function seedKeyRing(store: Store, secret: string, waitMs = 20_000): Promise<void> {
  const now = Date.now()
  const known = rings.get(secret)
  const isOfNow = known !== undefined && Math.abs(now - known.at) < HOUR
  const { ring } = isOfNow ? known : { ring: makeRing(secret) }
  if (!isOfNow) rings.set(secret, { at: now, ring })
  await Promise.race([
    store.create(RING, await ring).catch(() => false),
    delay(waitMs, undefined, { ref: false }),
  ])
}

async function makeRing(secret: string): Promise<string> {
  const store = memoryStore()
  const records = createKeyRingRecords(store, createEncryption<JWK>([secret], 'signing-keys'))
  const now = Date.now() / 1000
  let keys: readonly OpenKey[] = []
  for (const rsa of await rsaKeys()) {
    const fresh = [await generateSigningKey('ES256'), rsa].map((jwk): OpenKey => {
      const { kid, alg } = jwk
      return { kid, alg, state: 'next', createdAt: now, since: now, jwk }
    })
    ;({ keys } = replenish(keys, now, fresh))
  }
  await records.create(await records.draft(keys))
  return (await store.get(RING)) ?? ''
}
