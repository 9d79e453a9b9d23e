import { createHostKeys } from '../keys/host-keys.ts'
import { createRotatingKeys } from '../keys/rotating-keys.ts'
import { createKeyEncryption } from '../keys/key-encryption.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import { createLogMarks } from '../revocation/log-marks.ts'
import type { Base } from './wire-core.ts'

/** The keys that sign: ours, which rotate by themselves, or those that the host keeps. */
export function createKeySource(base: Base): KeySource {
  const { settings, durable, events, logger, longestLifetime, revoked, revocations } = base
  const { signingKeys, lifetimes, secrets } = settings
  const parts = {
    revokeKey: (id: string, until: number, actor?: string) =>
      revocations.revokeAs(actor, { of: 'key', id, until }),
    isKeyRevoked: revoked.isKeyRevoked,
    events,
  }
  if ('jwks' in signingKeys) {
    return createHostKeys({ ...parts, keys: signingKeys.jwks.keys, onRevoked: revoked.onAdded })
  }
  // ID tokens are shown again at sign-out, until the session has ended, although they have expired.
  const shownAgain = Math.max(lifetimes.idToken, lifetimes.session)
  return createRotatingKeys({
    ...parts,
    store: durable,
    encryption: createKeyEncryption(secrets),
    marks: createLogMarks(durable),
    schedule: signingKeys,
    longestLifetimes: {
      ES256: longestLifetime,
      RS256: createLongestLifetime(durable, shownAgain, 'longest-id-token'),
    },
    logger,
  })
}
