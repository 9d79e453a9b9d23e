// Also runs on: Redis
import type { JWK } from 'jose'
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { createEncryption } from '../../src/keys/encryption.ts'
import { loadRing } from '../../src/keys/key-ring-loader.ts'
import { createKeyRingRecords } from '../../src/keys/key-ring-record.ts'
import { createLogMarks } from '../../src/revocation/log-marks.ts'
import { silentLogger } from '../../src/host/logger.ts'
import { createProcess, productsNamed, startProcess } from '../catalog/sync/processes.ts'
import { killableStore } from '../support/killable-store.ts'
import { describeEachStore } from '../support/stores.ts'
import { auditOf } from './setup.ts'

/** The names of the entries, after another process has completed what the killed one began. */
async function entriesAfter(store: Store): Promise<string[]> {
  const audit = auditOf(store, { now: () => Date.now() + 60_000 })
  await audit.resume()
  await audit.resume()
  return (await audit.list()).items.map(({ name, target, keyId }) => [name, target ?? keyId].join(' '))
}

describeEachStore('a process that is killed at one of its writes', (makeStore) => {
  it('leaves no first key ring without the entries of its keys', async () => {
    for (let at = 0; at < 40; at += 1) {
      const inner = makeStore(randomUUID())
      const process = killableStore(inner)
      process.killAt(at)
      const encryption = createEncryption<JWK>(['a secret for this test, long enough'], 'signing-keys')
      const audit = auditOf(process.store)
      const parts = { marks: createLogMarks(process.store), audit, logger: silentLogger }
      await loadRing({ ...parts, records: createKeyRingRecords(process.store, encryption) }).catch(() => {})
      await audit.settled()
      const ring = await createKeyRingRecords(inner, encryption).read()
      const kids = ring?.keys.map(({ kid }) => kid) ?? []
      const entries = await entriesAfter(inner)
      for (const kid of kids) expect(entries, `at ${at}`).toContain(`key.published ${kid}`)
      expect(new Set(entries).size).toBe(entries.length)
      if (kids.length === 0) expect(entries).toEqual([])
      if (!process.isKilled) return
    }
    throw new Error('the process was killed at each of 40 writes')
  })

  it('leaves no changed products without their entry', async () => {
    for (let at = 0; at < 40; at += 1) {
      const inner = makeStore(randomUUID())
      await startProcess(inner, productsNamed('a', 'b'))
      const process = killableStore(inner)
      process.killAt(at)
      const killed = createProcess(process.store, productsNamed('a', 'c'))
      const leave = await killed.start().catch(() => undefined)
      await killed.audit.settled()
      await leave?.()
      const isInForce = (await inner.get('catalog:products'))?.includes('"c":')
      expect(await entriesAfter(inner), `at ${at}`).toEqual(isInForce ? ['catalog.reloaded '] : [])
      if (!process.isKilled) return
    }
    throw new Error('the process was killed at each of 40 writes')
  })

  it('leaves no announced change without its entry', async () => {
    for (let at = 0; at < 20; at += 1) {
      const inner = makeStore(randomUUID())
      await inner.set('interaction:1', 'asked')
      const process = killableStore(inner)
      process.killAt(at)
      const audit = auditOf(process.store)
      const proof = { key: 'interaction:1', text: 'grant-1' }
      await audit
        .announce({ name: 'consent.approved', target: 'grant-1' }, proof, async () => ({
          isMade: await process.store.replace('interaction:1', 'asked', 'approved grant-1'),
        }))
        .catch(() => {})
      await audit.settled()
      const isInForce = (await inner.get('interaction:1')) !== 'asked'
      // The browser may continue, which deletes the interaction, before another process completes the entry.
      if (isInForce && at % 2 === 0) await inner.delete('interaction:1')
      expect(await entriesAfter(inner), `at ${at}`).toEqual(isInForce ? ['consent.approved grant-1'] : [])
      if (!process.isKilled) return
    }
    throw new Error('the process was killed at each of 20 writes')
  })
})
