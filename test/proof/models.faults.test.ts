import { describe, expect, it } from 'vitest'
import {
  canVerify,
  CLIENT_LIVENESS,
  HONEST,
  HOSTILE,
  HOSTILE_GRACE,
  VERIFY_TIMEOUT_MS,
} from './model-runs.ts'
import { verifyModel } from './verify-model.ts'

/** What each model proves, and the macros of the run that proves it. */
const PROVED: readonly (readonly [sentence: string, model: string, defines: readonly string[]])[] = [
  ['an honest client never loses its refresh token family', 'refresh-family', HONEST],
  [
    'an honest client with a grace period loses nothing',
    'refresh-family',
    ['GRACE=1', 'SUCCESSES=1', 'FAULTS=2'],
  ],
  ['an honest client refreshes twice in grace', 'refresh-family', ['GRACE=1', 'SUCCESSES=2', 'FAULTS=1']],
  ['each refresh token is used once, and reuse ends the family', 'refresh-family', HOSTILE],
  ['the grace period repeats the same successor, and ends', 'refresh-family', HOSTILE_GRACE],
  [
    'a failover in the grace period repeats no used token',
    'refresh-family',
    ['HOSTILE', 'GRACE=1', 'SUCCESSES=1', 'FAULTS=0'],
  ],
  ['a follower knows every answered revocation after a poll', 'revocation-feed', []],
  [
    'a revoked client gets new tokens, whichever step its process stopped at',
    'revocation-feed',
    ['CLIENT', 'END=3'],
  ],
  ['each answered revocation is known in the end', 'revocation-feed', ['LIVENESS', 'END=3']],
  ['a pending revocation is completed in the end', 'revocation-feed', CLIENT_LIVENESS],
  ['no process signs with an unknown, lost or revoked key', 'key-rotation', []],
]

describe.skipIf(!canVerify)('the models, which Spin verifies', { timeout: VERIFY_TIMEOUT_MS }, () => {
  it.each(PROVED)('%s (%s)', async (_sentence, model, defines) => {
    const found = await verifyModel(model, defines)
    expect(found.error).toBeUndefined()
    expect(found.isComplete).toBe(true)
    expect(found.unreached).toEqual([])
  })
})
