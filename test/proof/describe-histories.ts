import { describe, expect, it } from 'vitest'
import { findProgram } from '../support/required-programs.ts'
import { runProof } from './run.ts'
import type { StoreKind } from './stores.ts'

/** A short run. `npm run proof` makes long ones, also on a cluster. */
const SECONDS = 10
/** The clients pause for longer than in a long run, because other tests run at the same time. */
const PAUSE_MS = 50
const TIMEOUT_MS = 300_000
const seed = Math.floor(Math.random() * 1e9)
const hasRedis = findProgram('redis-server') !== undefined

/** Defines a test for each kind of store: a short run with faults keeps all promises. */
export function describeHistories(kinds: readonly StoreKind[]): void {
  describe.skipIf(!hasRedis)('the promises', { timeout: TIMEOUT_MS }, () => {
    it.each(kinds)(`hold under faults (%s, seed ${seed})`, async (kind) => {
      const { history, violations, surprises } = await runProof({
        kind,
        seed,
        seconds: SECONDS,
        pauseMs: PAUSE_MS,
      })
      expect({ violations, surprises }).toEqual({ violations: [], surprises: [] })
      const answered = history.operations.filter(({ outcome }) => outcome === 'ok')
      expect(new Set(answered.map((each) => each.kind)).size).toBeGreaterThanOrEqual(4)
      expect(history.faults.length).toBeGreaterThan(0)
      expect(history.trail?.length).toBeGreaterThan(0)
    })
  })
}
