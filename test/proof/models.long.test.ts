import { describe, expect, it } from 'vitest'
import {
  canVerify,
  describeProved,
  CLIENT_LIVENESS,
  HONEST,
  HOSTILE,
  HOSTILE_GRACE,
  VERIFY_TIMEOUT_MS,
} from './model-runs.ts'
import { verifyModel } from './verify-model.ts'

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

describeProved([
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
