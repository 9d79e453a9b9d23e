import type { JWK } from 'jose'
import { createHostKeys } from '../keys/host-keys.ts'
import { createRotatingKeys } from '../keys/rotating-keys.ts'
import { createEncryption } from '../keys/encryption.ts'
import type { KeySource } from '../keys/signing-keys.ts'
import { createLongestLifetime } from '../revocation/longest-token-lifetime.ts'
import { createLogMarks } from '../revocation/log-marks.ts'
import type { Core } from './wire-core.ts'

/** Wires the signing keys: keys in the store that rotate automatically, or keys that the host manages. */
export function createKeySource(core: Core): KeySource {
  const { settings, durable, audit, events, logger, longestLifetime, revoked, revocations } = core
  const { signingKeys, lifetimes, secrets } = settings
  const parts = {
    async revokeKey(id: string, until: number, actor?: string): Promise<void> {
      await revocations.revokeAs(actor, { of: 'key', id, until })
    },
    isKeyRevoked: revoked.isKeyRevoked,
    events,
    audit,
  }
  if ('jwks' in signingKeys) {
    return createHostKeys({ ...parts, keys: signingKeys.jwks.keys, onRevoked: revoked.onAdded })
  }
  // While a session lasts, a sign-out still accepts an expired ID token of the session (`id_token_hint`). So
  // the keys of ID tokens stay published at least as long as a session.
  const idTokenLifetime = Math.max(lifetimes.idToken, lifetimes.session)
  return createRotatingKeys({
    ...parts,
    store: durable,
    encryption: createEncryption<JWK>(secrets, 'signing-keys'),
    marks: createLogMarks(durable),
    schedule: signingKeys,
    longestLifetimes: {
      ES256: longestLifetime,
      RS256: createLongestLifetime(durable, idTokenLifetime, 'longest-id-token'),
    },
    logger,
  })
}
