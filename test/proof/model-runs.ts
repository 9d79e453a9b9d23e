import { describe, expect, it } from 'vitest'
import { findProgram } from '../support/required-programs.ts'
import { verifyModel } from './verify-model.ts'

/** Whether the programs are installed that verify models. */
export const canVerify = findProgram('spin') !== undefined && findProgram('gcc') !== undefined

/** Most of the time is that of the compiler, which a busy machine runs slowly. */
export const VERIFY_TIMEOUT_MS = 300_000

/** Two callers send any token that was ever issued. */
export const HOSTILE = ['HOSTILE', 'SUCCESSES=2', 'FAULTS=0']
export const HOSTILE_GRACE = ['HOSTILE', 'GRACE=1', 'SUCCESSES=2', 'FAULTS=0', 'FAILOVERS=0']
export const HONEST = ['SUCCESSES=2', 'FAULTS=2']
export const CLIENT_LIVENESS = ['CLIENT', 'LIVENESS', 'END=2']

/** What a model proves, the model, and the macros of the run that proves it. */
export type Proved = readonly [sentence: string, model: string, defines: readonly string[]]

/** Defines a test for each run: Spin visits all states, and finds no violation. */
export function describeProved(runs: readonly Proved[]): void {
  describe.skipIf(!canVerify)('the models, which Spin verifies', { timeout: VERIFY_TIMEOUT_MS }, () => {
    it.each(runs)('%s (%s)', async (_sentence, model, defines) => {
      const found = await verifyModel(model, defines)
      expect(found).toEqual({ error: undefined, isComplete: true, unreached: [] })
    })
  })
}
