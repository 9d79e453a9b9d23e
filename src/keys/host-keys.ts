import { createLocalJWKSet } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { AuditWriter } from '../audit/audit.ts'
import { changeOptionsOf } from '../host/change-options.ts'
import type { EventSink } from '../host/events.ts'
import { ALGORITHMS, toPublicJwk, type SigningJwk } from './generate-key.ts'
import type { KeyRing } from './key-ring.ts'
import type { KeyState } from './rotation-policy.ts'
import type { RevokeKey } from './revoked-keys.ts'
import { checkedOptions, type KeySource } from './signing-keys.ts'

/** Ten years: a revocation must not expire before the host removes the key from its key set. */
const REVOKED_FOR_SECONDS = 10 * 366 * 86_400

/**
 * Keys that the host manages. The first private key of each algorithm signs. All keys are published, except for revoked
 * keys that do not sign. The store contains only the revocations of these keys.
 */
export function createHostKeys(parts: {
  readonly keys: readonly SigningJwk[]
  readonly revokeKey: RevokeKey
  readonly isKeyRevoked: (kid: string) => boolean
  readonly onRevoked: (listener: () => void) => () => void
  readonly events: EventSink
  readonly audit: Pick<AuditWriter, 'record'>
}): KeySource {
  const { keys, revokeKey, isKeyRevoked, onRevoked, events, audit } = parts
  const signing = ALGORITHMS.flatMap((alg) => keys.find((key) => key.alg === alg && isPrivate(key)) ?? [])
  // With revoked keys, so that the gateway reports their tokens as revoked, not as signed by an unknown key.
  const getKey = createLocalJWKSet({ keys: keys.map(toPublicJwk) })
  const ordered = [...signing, ...keys.filter((key) => !signing.includes(key))]
  const listeners = new Set<() => void>()
  let revoked: readonly string[] = []
  let ring = viewOf(ordered)

  function viewOf(published: readonly SigningJwk[]): KeyRing {
    const further = published.filter((key) => key.alg === 'RS256' && isPrivate(key) && !signing.includes(key))
    return { signing: [...signing, ...further], published: { keys: published.map(toPublicJwk) } }
  }

  function applyRevocations(): void {
    const now = keys.filter((key) => isKeyRevoked(key.kid) && !signing.includes(key)).map(({ kid }) => kid)
    if (now.length === revoked.length) return
    revoked = now
    ring = viewOf(ordered.filter(({ kid }) => !revoked.includes(kid)))
    for (const listener of listeners) listener()
  }

  function stateOf(key: SigningJwk): KeyState {
    if (signing.includes(key)) return 'current'
    if (revoked.includes(key.kid)) return 'revoked'
    return isPrivate(key) ? 'next' : 'previous'
  }

  return {
    async follow() {
      const stop = onRevoked(applyRevocations)
      applyRevocations()
      return async () => stop()
    },
    get ring() {
      return ring
    },
    get condition() {
      return {
        managedByHost: true,
        keys: keys.map((key) => ({ alg: key.alg, state: stateOf(key), since: 0 })),
        isSigningRevoked: signing.some(({ kid }) => isKeyRevoked(kid)),
        stale: false,
      }
    },
    getKey,
    ensureFresh: () => undefined,
    onChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async list() {
      return ordered.map((key) => ({ kid: key.kid, alg: key.alg, state: stateOf(key) }))
    },
    async rotate() {
      throw readOnly('to rotate them, put other keys first in `signingKeys.jwks`')
    },
    async revoke(kid, options) {
      const change = checkedOptions(options)
      const { actor } = change
      const key = keys.find((one) => one.kid === kid)
      if (!key) {
        throw new GatehouseError('ERR_NOT_FOUND', `there is no signing key "${kid}"`)
      }
      if (signing.includes(key)) {
        throw readOnly(
          `"${kid}" signs: put another ${key.alg} key first in every process, then revoke this key`,
        )
      }
      const isNew = !isKeyRevoked(kid)
      await revokeKey(kid, Math.ceil(Date.now() / 1000) + REVOKED_FOR_SECONDS, actor)
      applyRevocations()
      if (!isNew) return
      await audit.record({ name: 'key.revoked', keyId: kid, ...changeOptionsOf(change) })
      events.emit('key.revoked', { kid, alg: key.alg, actor })
    },
  }
}

function isPrivate({ d }: SigningJwk): boolean {
  return d !== undefined
}

function readOnly(remedy: string): GatehouseError {
  return new GatehouseError(
    'ERR_SIGNING_KEYS_READ_ONLY',
    `the host manages the signing keys (\`signingKeys.jwks\`): ${remedy}`,
  )
}
