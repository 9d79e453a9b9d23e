import { describe, expect, it } from 'vitest'
import { findProgram } from '../support/required-programs.ts'
import { verifyModel } from './verify-model.ts'

/** Whether the programs are installed that verify models. */
const canVerify = findProgram('spin') !== undefined && findProgram('gcc') !== undefined

/** Most of the time is that of the compiler, which a busy machine runs slowly. */
const VERIFY_TIMEOUT_MS = 300_000

/** Two callers send any token that was ever issued. */
const HOSTILE = ['HOSTILE', 'SUCCESSES=2', 'FAULTS=0']
const HOSTILE_GRACE = ['HOSTILE', 'GRACE=1', 'SUCCESSES=2', 'FAULTS=0', 'FAILOVERS=0']
const HONEST = ['SUCCESSES=2', 'FAULTS=2']
const CLIENT_LIVENESS = ['CLIENT', 'LIVENESS', 'END=2']

/** What a model proves, the model, and the macros of the run that proves it. */
type Proved = readonly [sentence: string, model: string, defines: readonly string[]]

/** Changes of a model that take away one of its safeguards, and the macros of the run that finds this. */
const MUTANTS: readonly (readonly [mutant: string, model: string, defines: readonly string[]])[] = [
  ['NO_WAIT', 'refresh-family', HONEST],
  ['NO_BARRIER', 'refresh-family', HONEST],
  ['CONCLUDES_UNCONFIRMED', 'refresh-family', HONEST],
  ['CAS_IS_WRITE', 'refresh-family', HOSTILE],
  ['REUSE_IS_ONLY_REJECTED', 'refresh-family', HOSTILE],
  ['GRACE_WITHOUT_LIMIT', 'refresh-family', HOSTILE_GRACE],
  ['ANSWER_BEFORE_STORED', 'revocation-feed', []],
  ['NO_REREAD_AFTER_LOSS', 'revocation-feed', []],
  ['NO_REPLAY_AFTER_RECONNECT', 'revocation-feed', []],
  ['NO_OVERLAP', 'revocation-feed', []],
  ['READ_BEFORE_SUBSCRIBE', 'revocation-feed', []],
  ['EPOCH_NOT_RAISED', 'revocation-feed', ['CLIENT', 'END=3']],
  ['NO_PENDING', 'revocation-feed', CLIENT_LIVENESS],
  // One for each step of a commit.
  ['NOT_LISTED', 'commit', ['LIVENESS']],
  ['LIST_AFTER_WRITE', 'commit', ['LIVENESS']],
  ['NO_OUTBOX', 'commit', ['LIVENESS']],
  ['NO_EPOCH', 'commit', ['LIVENESS']],
  ['NO_ID_CHECK', 'commit', []],
  ['ANSWER_FIRST', 'commit', []],
  ['CLEAR_UNRECORDED', 'commit', ['LIVENESS']],
  ['REMOVE_UNFINISHED', 'commit', []],
  ['REMOVE_EARLY', 'commit', ['LIVENESS']],
  ['NOT_KEPT', 'commit', ['LIVENESS', 'REMOVAL']],
  ['NO_PROOF', 'commit', ['CARRIED']],
  ['CAS_IS_WRITE', 'key-rotation', []],
  ['NO_WAIT', 'key-rotation', []],
  ['NO_LEAD_TIME', 'key-rotation', []],
  ['STALE_KEYS_SIGN', 'key-rotation', []],
]

describe.skipIf(!canVerify)('the models without a safeguard', { timeout: VERIFY_TIMEOUT_MS }, () => {
  it.each(MUTANTS)('Spin finds the mutant %s of the model %s', async (mutant, model, defines) => {
    const { error } = await verifyModel(model, [...defines, mutant])
    expect(error).toMatch(/^(assertion violated|acceptance cycle)/)
  })
})

/** Defines a test for each run: Spin visits all states, and finds no violation. */
function describeProved(runs: readonly Proved[]): void {
  describe.skipIf(!canVerify)('the models, which Spin verifies', { timeout: VERIFY_TIMEOUT_MS }, () => {
    it.each(runs)('%s (%s)', async (_sentence, model, defines) => {
      const found = await verifyModel(model, defines)
      expect(found).toEqual({ error: undefined, isComplete: true, unreached: [] })
    })
  })
}

describeProved([
  ['an honest client never loses its refresh token family', 'refresh-family', HONEST],
  ['each refresh token is used once, and reuse ends the family', 'refresh-family', HOSTILE],
  ['a follower knows every answered revocation after a poll', 'revocation-feed', []],
  ['a pending revocation is completed in the end', 'revocation-feed', CLIENT_LIVENESS],
  ['a commit that was made is finished in the end', 'commit', ['LIVENESS']],
  ['a removal is made although it cannot be listed, and finished', 'commit', ['LIVENESS', 'REMOVAL']],
  ['no process signs with an unknown, lost or revoked key', 'key-rotation', []],
  [
    'an honest client with a grace period loses nothing',
    'refresh-family',
    ['GRACE=1', 'SUCCESSES=1', 'FAULTS=2'],
  ],
  ['an honest client refreshes twice in grace', 'refresh-family', ['GRACE=1', 'SUCCESSES=2', 'FAULTS=1']],
  ['the grace period repeats the same successor, and ends', 'refresh-family', HOSTILE_GRACE],
  [
    'a failover in the grace period repeats no used token',
    'refresh-family',
    ['HOSTILE', 'GRACE=1', 'SUCCESSES=1', 'FAULTS=0'],
  ],
  [
    'a revoked client gets new tokens, whichever step its process stopped at',
    'revocation-feed',
    ['CLIENT', 'END=3'],
  ],
  ['a commit whose member carries its entry is finished', 'commit', ['LIVENESS', 'CARRIED']],
  ['a removal that ends its record is finished', 'commit', ['LIVENESS', 'CARRIED', 'REMOVAL']],
  ['each answered revocation is known in the end', 'revocation-feed', ['LIVENESS', 'END=3']],
])
