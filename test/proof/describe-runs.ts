import { describe, expect, it } from 'vitest'
import { hasServer, withServer } from '../support/other-servers.ts'
import { findProgram } from '../support/required-programs.ts'
import { NotStarted } from './fleet.ts'
import type { Mutant } from './mutants.ts'
import { runProof } from './run.ts'
import type { StoreKind } from './stores.ts'

/** A short run. `npm run proof` makes long ones, also on a cluster. */
const SECONDS = 6
/** How often a mutant may escape, because a fault must hit a request at the right moment. */
const ATTEMPTS = 5
/** The clients pause for longer than in `npm run proof`, because other tests run at the same time. */
const PAUSE_MS = 50
const TIMEOUT_MS = 300_000
/** What shows a mutant: some hundred requests on any machine, and searches of some seconds, because one violation is enough. */
const ENOUGH = { leastRequests: 300, maxVisited: 5000 }
const seed = Math.floor(Math.random() * 1e9)
const hasRedis = findProgram('redis-server') !== undefined

/** Defines a test for each kind of store: a short run with faults keeps all promises. */
export function describeRuns(kinds: readonly StoreKind[]): void {
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

/** Defines a test for each mutant: a run finds it. */
export function describeMutants(mutants: readonly Mutant[]): void {
  describe.skipIf(!hasRedis)(
    `the histories catch a library in which (seed ${seed})`,
    { timeout: TIMEOUT_MS },
    () => {
      for (const mutant of mutants) {
        const canRun = mutant.server === undefined || hasServer(mutant.server)
        it.skipIf(!canRun)(mutant.name, () => expectCaught(mutant, seed))
      }
    },
  )
}

async function expectCaught({ server, breaks, ...mutant }: Mutant, seed: number): Promise<void> {
  let found: readonly string[] = []
  for (let attempt = 0; attempt < ATTEMPTS && found.length === 0; attempt += 1) {
    // The audit trail is read only where it shows the mutant, because a missing entry is waited for.
    const readsTrail = breaks.includes('recorded')
    const settings = { ...ENOUGH, pauseMs: PAUSE_MS, readsTrail, settleSeconds: 90 }
    const options = { ...mutant, ...settings, seed: seed + attempt }
    // A lost change of the key of the API keeps the API from starting: this is an attempt, too.
    const result = await withServer(server, () => runProof(options)).catch((error: unknown) => {
      if (!(error instanceof NotStarted)) throw error
    })
    found = result?.violations.map(({ promise }) => promise) ?? []
  }
  expect(found).toSatisfy((promises: string[]) => breaks.some((each) => promises.includes(each)))
}
