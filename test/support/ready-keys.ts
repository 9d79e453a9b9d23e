import { setTimeout as delay } from 'node:timers/promises'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import type { Store } from 'koa-gatehouse'
import { loadKeyRing } from '../../src/keys/key-ring.ts'
import { createKeySealing } from '../../src/keys/sealing.ts'

const RING = 'signing-keys:ring'
const rings = new Map<string, Promise<string>>()

/**
 * Puts a key ring into the store of a host that is to start, unless it has one: making an RSA key takes as
 * long as most flows. What starting on an empty store does has tests of its own.
 *
 * @param secret that the host has
 */
export async function giveKeys(store: Store, secret: string): Promise<void> {
  const ring = rings.get(secret) ?? makeRing(secret)
  rings.set(secret, ring)
  // A store may be away, which is what some hosts are started for.
  await Promise.race([store.create(RING, await ring).catch(() => false), delay(100)])
}

async function makeRing(secret: string): Promise<string> {
  const store = memoryStore()
  await loadKeyRing(store, createKeySealing([secret]))
  return (await store.get(RING)) ?? ''
}
