import { expect, it, onTestFinished } from 'vitest'
import { replicatedStore } from '../../support/replicated-store.ts'
import { createProcess, productsNamed } from './processes.ts'

const RECORD = 'catalog:products'
const TOO_FEW = 'too few replicas have it'

it('a catalog record that too few replicas have is written again, and is used once the second write is confirmed', async () => {
  const db = replicatedStore()
  const process = createProcess(db.durable, productsNamed('a', 'b'))
  db.lagFrom(RECORD)
  await expect(process.start()).rejects.toThrow(TOO_FEW)
  const written = await db.store.get(RECORD)
  await expect(process.start()).rejects.toThrow(TOO_FEW)
  expect(await db.store.get(RECORD)).toBe(written)
  db.replicates = true
  onTestFinished(await process.start())
  db.failOver()
  expect(await db.store.get(RECORD)).toBe(written)
  expect(process.ids()).toEqual(['a', 'b'])
})
