import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import type { RevocableToken, Revocation } from '../tokens/revocations/revocation.ts'
import type { SigningJwk } from './generate-key.ts'
import { createHostKeys } from './host-keys.ts'
import { createRotatingKeys } from './rotating-keys.ts'
import { createKeySealing } from './sealing.ts'
import type { KeySource } from './signing-keys.ts'

type TakenKey = Pick<Extract<Revocation, { of: 'token' | 'grant' | 'key' }>, 'id' | 'until'> & { of: 'key' }

/**
 * The signing keys: those that live in the store, or those that the host keeps. No I/O before `follow()`.
 *
 * @param parts.settings.signingKeys checked
 * @param parts.longestLifetimes how long what a key signs lives at most
 */
export function createKeySource(parts: {
  readonly settings: {
    readonly secrets: readonly string[]
    readonly signingKeys:
      | { readonly rotateAfterSeconds: number; readonly publishAheadSeconds: number }
      | { readonly jwks: { readonly keys: readonly SigningJwk[] } }
  }
  readonly store: Store
  readonly longestLifetimes: { readonly [Alg in 'ES256' | 'RS256']: { seconds(): Promise<number> } }
  readonly revocations: { revokeAs(actor: string | undefined, taken: TakenKey): Promise<void> }
  readonly revoked: { isRevoked(token: RevocableToken): boolean; onAdded(listener: () => void): () => void }
  readonly events: EventSink
  readonly logger: Logger
}): KeySource {
  const { settings, revocations, revoked } = parts
  const { signingKeys: given, secrets } = settings
  const anyToken = { tokenId: '', clientId: '', scopes: [], claims: {} }
  const shared = {
    ...parts,
    revokeKey: (id: string, until: number, actor?: string) =>
      revocations.revokeAs(actor, { of: 'key', id, until }),
    isKeyRevoked: (keyId: string) => revoked.isRevoked({ ...anyToken, keyId }),
  }
  return 'jwks' in given
    ? createHostKeys({ ...shared, keys: given.jwks.keys, onRevoked: revoked.onAdded })
    : createRotatingKeys({ ...shared, sealing: createKeySealing(secrets), schedule: given })
}
