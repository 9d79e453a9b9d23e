// Model: test/proof/models/key-rotation.pml
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWK } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { AuditWriter } from '../audit/audit.ts'
import type { Commits } from '../commit/commit.ts'
import type { ChangeOptions } from '../host/change-options.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { createExportableKeys } from './key-ring-import.ts'
import { viewOf } from './key-ring.ts'
import {
  canSign,
  endOf,
  inState,
  STALE_AFTER_SECONDS,
  revoke,
  rotate,
  rotationDue,
  retentionOf,
  type RotationPolicy,
} from './rotation-policy.ts'
import { createKeyRingStore } from './key-ring-store.ts'
import type { LogMarks } from './key-ring-loader.ts'
import { createKeyRingRecords, makeKeys, type OpenKey } from './key-ring-record.ts'
import { createRotation } from './poll-key-ring.ts'
import type { Encryption } from './encryption.ts'
import { createRevokedKeys, type RevokeKey } from './revoked-keys.ts'
import { checkedOptions, type KeySource } from './signing-keys.ts'
import { limitPolls } from './unknown-key-polls.ts'

interface RotatingKeysParts {
  readonly store: Store
  readonly encryption: Encryption<JWK>
  readonly marks: LogMarks
  readonly schedule: { readonly rotateAfterSeconds: number; readonly publishAheadSeconds: number }
  readonly longestLifetimes: { readonly [Alg in 'ES256' | 'RS256']: { seconds(): Promise<number> } }
  readonly revokeKey: RevokeKey
  readonly isKeyRevoked: (kid: string) => boolean
  readonly events: EventSink
  readonly commits: Pick<Commits, 'commit'>
  readonly audit: Pick<AuditWriter, 'record'>
  readonly logger: Logger
  readonly pollIntervalMs?: number | undefined
  readonly takeOverAfterMs?: number | undefined
}

/**
 * Creates keys that are kept in the store and rotate automatically. Each process makes the changes that are
 * due. Each process polls the ring once a minute, when another process notifies it of a change, and when a
 * token names an unknown key. The polls do not keep the process alive.
 */
export function createRotatingKeys(parts: RotatingKeysParts): KeySource {
  const { store, events, marks, logger, isKeyRevoked, schedule, longestLifetimes } = parts
  const { pollIntervalMs = 60_000, takeOverAfterMs = 3000 } = parts
  const records = createKeyRingRecords(store, parts.encryption)
  const revokedKeys = createRevokedKeys({ ...parts, takeOverAfterMs })
  const ringStore = createKeyRingStore({
    ...parts,
    records,
    onReplaced: ({ keys }) => void revokeReplaced(keys),
    onAdopted: ({ keys }) => useKeys(keys),
    onChanges(changes, actor) {
      for (const { what, kid, alg } of changes) events.emit(`key.${what}`, { kid, alg, actor })
    },
  })
  const rotation = createRotation({
    ...parts,
    ringStore,
    readPolicy,
    onPolled: revokedKeys.resume,
    pollIntervalMs,
    takeOverAfterMs,
  })
  const pollForUnknown = limitPolls(rotation.poll, logger)
  const listeners = new Set<() => void>()
  let ring = viewOf([])
  let findKey = createLocalJWKSet({ keys: [] })

  function useKeys(keys: readonly OpenKey[]): void {
    const before = ring.signing
    ring = viewOf(keys)
    const { signing, published } = ring
    findKey = createLocalJWKSet(published as JSONWebKeySet)
    const isSame = before.length === signing.length
    if (isSame && before.every(({ kid }, index) => kid === signing[index]?.kid)) return
    for (const listener of listeners) listener()
  }

  async function readPolicy(): Promise<RotationPolicy> {
    const { ES256, RS256 } = longestLifetimes
    const [access, id] = await Promise.all([ES256.seconds(), RS256.seconds()])
    return {
      rotateAfter: schedule.rotateAfterSeconds,
      publishAhead: schedule.publishAheadSeconds,
      tail: { ES256: retentionOf(access), RS256: retentionOf(id) },
    }
  }

  /** If this fails, a later poll tries again. */
  async function revokeReplaced(keys: readonly OpenKey[]): Promise<void> {
    try {
      const policy = await readPolicy()
      const revoked = inState(keys, 'revoked')
      const untilOf = (key: OpenKey) => Math.ceil(endOf(keys, key, policy) ?? 0)
      await Promise.all(revoked.map((key) => revokedKeys.revokeTokens(key.kid, untilOf(key))))
    } catch (error) {
      logger.warn({ err: error }, 'the tokens of replaced signing keys could not be revoked yet')
    }
  }

  function isFresh(): boolean {
    return Math.abs(Date.now() - ringStore.confirmedAt) <= STALE_AFTER_SECONDS * 1000
  }

  function isSigningRevoked(): boolean {
    return ring.signing.some(({ kid }) => isKeyRevoked(kid))
  }

  async function revokeKey(kid: string, options: ChangeOptions): Promise<void> {
    const hasKid = (key: OpenKey) => key.kid === kid
    const found = ringStore.known?.keys.find(hasKid) ?? (await ringStore.read()).keys.find(hasKid)
    if (!found) throw new GatehouseError('ERR_NOT_FOUND', `there is no signing key "${kid}"`)
    const since = found.state === 'revoked' ? found.since : Date.now() / 1000
    // The policy is read while the ring is written, because the key should be revoked as fast as possible.
    const policy = readPolicy()
    policy.catch(() => {})
    const revokeTokens = async () => {
      const { tail } = await policy
      await revokedKeys.revokeTokens(kid, Math.ceil(since + tail[found.alg]), options.actor)
    }
    /** If no other key can sign in its place, changes nothing and returns `needs-key`. */
    async function takeOutOfService(fresh: readonly OpenKey[]) {
      let isNeeded = false
      const stepOf = (keys: readonly OpenKey[]) => {
        const step = revoke(keys, Date.now() / 1000, fresh, kid)
        isNeeded = !canSign(step.keys)
        return isNeeded ? { keys, changes: [] } : step
      }
      if (await ringStore.change(stepOf, options, revokeTokens)) return 'is-out-of-service'
      return isNeeded ? 'needs-key' : 'was-out-of-service'
    }
    let outcome = await takeOutOfService([])
    // Generating a key takes long, and a new key is rarely needed here. So the key is generated only now.
    while (outcome === 'needs-key') outcome = await takeOutOfService(await makeKeys([found.alg]))
    if (outcome === 'was-out-of-service') await revokeTokens()
    rotation.replenishSoon(0)
  }

  return {
    follow: rotation.follow,
    exportable: createExportableKeys({ records, ringStore, marks, revoke: (kid) => revokeKey(kid, {}) }),
    get ring() {
      return ring
    },
    get condition() {
      const { known, confirmedAt, failure } = ringStore
      const { rotateAfterSeconds: rotateAfter, publishAheadSeconds: publishAhead } = schedule
      const keys = known?.keys ?? []
      return {
        managedByHost: false,
        keys: inState(keys, 'current', 'next').map(({ alg, state, since }) => ({ alg, state, since })),
        isSigningRevoked: isSigningRevoked(),
        confirmedAt: Number.isFinite(confirmedAt) ? confirmedAt : undefined,
        stale: !isFresh(),
        failure,
        rotationDue: rotationDue(keys, { rotateAfter, publishAhead }),
        replaced: known?.replaced,
      }
    },
    async getKey(header, token) {
      try {
        return await findKey(header, token)
      } catch (error) {
        const isKnown = ringStore.known?.keys.some(({ kid }) => kid === header?.kid)
        if (!(error instanceof errors.JWKSNoMatchingKey) || isKnown) throw error
      }
      await pollForUnknown()
      return findKey(header, token)
    },
    ensureFresh() {
      // This process may receive the revocation of its signing key before it reads the ring with the new key. The
      // process would then sign tokens that gateways reject. So it polls the ring before it signs.
      if (isFresh() && !isSigningRevoked()) return undefined
      return rotation.poll().catch((error: unknown) => {
        if (!isFresh()) throw error
      })
    },
    onChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async list() {
      const [{ keys }, policy] = await Promise.all([ringStore.read(), readPolicy()])
      return inState(keys, 'current', 'next', 'previous', 'revoked', 'retired').map((key) => {
        const { kid, alg, state, createdAt, since } = key
        const until = endOf(keys, key, policy)
        const times = { createdAt: Math.floor(createdAt), since: Math.floor(since) }
        return { kid, alg, state, ...times, ...(until !== undefined && { until: Math.ceil(until) }) }
      })
    },
    async rotate(options) {
      const change = checkedOptions(options)
      const replaced = inState((await ringStore.read()).keys, 'current').map(({ kid }) => kid)
      // Generating keys takes long, and other operations on the ring wait while a change runs.
      const fresh = await makeKeys()
      await ringStore.change((keys) => rotate(keys, Date.now() / 1000, fresh, replaced), change)
      rotation.replenishSoon(0)
    },
    revoke: async (kid, options) => revokeKey(kid, checkedOptions(options)),
  }
}
