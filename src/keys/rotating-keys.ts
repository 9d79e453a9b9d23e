import { setTimeout as delay } from 'node:timers/promises'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { GatehouseError } from '../errors.ts'
import type { EventSink } from '../host/events.ts'
import type { Logger } from '../host/logger.ts'
import type { Store } from '../store/contract.ts'
import { mergeKeyRings } from './merge-key-rings.ts'
import { viewOf, type KeyRing } from './key-ring.ts'
import {
  canSign,
  endOf,
  inState,
  LATE,
  revoke,
  rotate,
  rotationDue,
  retentionOf,
  type RotationPolicy,
} from './key-states.ts'
import { createKeyRingStore } from './key-ring-store.ts'
import type { LogMarks } from './key-ring-loader.ts'
import { createKeyRingRecords, makeKeys, type OpenKey } from './key-ring-record.ts'
import { createRotation } from './rotation.ts'
import type { KeyEncryption } from './key-encryption.ts'
import { createRevokedKeys, type RevokeKey } from './revoked-keys.ts'
import { actorOf, type KeySource } from './signing-keys.ts'

/** What keys that rotate by themselves are handed. */
export interface RotatingKeysParts {
  readonly store: Store
  readonly sealing: KeyEncryption
  /** Of the revocation log in the same store. */
  readonly marks: LogMarks
  /** See `RotationSchedule`. */
  readonly schedule: { readonly rotateAfterSeconds: number; readonly publishAheadSeconds: number }
  /** How long what a key signs lives at most. */
  readonly longestLifetimes: { readonly [Alg in 'ES256' | 'RS256']: { seconds(): Promise<number> } }
  readonly revokeKey: RevokeKey
  readonly isKeyRevoked: (kid: string) => boolean
  readonly events: EventSink
  readonly logger: Logger
  /** See `createRotation`. */
  readonly pollIntervalMs?: number | undefined
  readonly patienceMs?: number | undefined
}

/** Looks for unknown keys that may follow each other at once; as many seconds later they may again. */
const BURST = 5

/**
 * Keys that live in the store and rotate by themselves. Each process does what is due when it is due, and looks at
 * the ring when another one says that it has changed it, once a minute, and when a token names a key that it does
 * not know. Keeps no process alive.
 */
export function createRotatingKeys(parts: RotatingKeysParts): KeySource {
  const { store, schedule, longestLifetimes, isKeyRevoked, events, logger } = parts
  const { pollIntervalMs = 60_000, patienceMs = 3000 } = parts
  const listeners = new Set<() => void>()
  let ring: KeyRing = { signing: [], published: { keys: [] } }
  let findKey: JWTVerifyGetKey = createLocalJWKSet({ keys: [] })
  /** When unknown keys were looked for, as far as it counts. */
  let looks: number[] = []
  let lastPoll: Promise<void> | undefined
  let waiting: Promise<void> | undefined

  const records = createKeyRingRecords(store, parts.sealing)
  const keeper = createKeyRingStore({
    store,
    records,
    marks: parts.marks,
    logger,
    onReplaced: ({ keys }) => void revokeReplaced(keys),
    onAdopted({ keys }) {
      const before = ring.signing
      ring = viewOf(keys)
      findKey = createLocalJWKSet(ring.published as JSONWebKeySet)
      const isSame = before.length === ring.signing.length
      if (isSame && before.every(({ kid }, index) => kid === ring.signing[index]?.kid)) return
      for (const listener of listeners) listener()
    },
    onChanges(changes, actor) {
      for (const { what, kid, alg } of changes) events.emit(`key.${what}`, { kid, alg, actor })
    },
  })
  const revokedKeys = createRevokedKeys({ ...parts, patienceMs })
  const rotation = createRotation({
    ...parts,
    keeper,
    readPolicy,
    onSeen: revokedKeys.settle,
    pollIntervalMs,
    patienceMs,
  })

  async function readPolicy(): Promise<RotationPolicy> {
    const { ES256, RS256 } = longestLifetimes
    const [access, id] = await Promise.all([ES256.seconds(), RS256.seconds()])
    return {
      rotateAfter: schedule.rotateAfterSeconds,
      publishAhead: schedule.publishAheadSeconds,
      tail: { ES256: retentionOf(access), RS256: retentionOf(id) },
    }
  }

  /** Revokes the tokens of keys that a new ring has replaced. If it fails, each process does so when it looks. */
  async function revokeReplaced(keys: readonly OpenKey[]): Promise<void> {
    try {
      const policy = await readPolicy()
      const revoked = inState(keys, 'revoked')
      await Promise.all(
        revoked.map((key) => revokedKeys.takeBack(key.kid, Math.ceil(endOf(keys, key, policy) ?? 0))),
      )
    } catch (error) {
      logger.warn({ err: error }, 'the tokens of replaced signing keys could not be revoked yet')
    }
  }

  /** Takes a key out of service, and its tokens back, unless nothing else could sign. */
  async function takeOutOfService(
    kid: string,
    fresh: readonly OpenKey[],
    takeBack: () => Promise<void>,
    actor: string | undefined,
  ): Promise<'needs a key' | 'was out' | 'is out'> {
    let isNeeded = false
    const stepOf = (keys: readonly OpenKey[]) => {
      const step = revoke(keys, Date.now() / 1000, fresh, kid)
      isNeeded = !canSign(step.keys)
      return isNeeded ? { keys, changes: [] } : step
    }
    if (await keeper.change(stepOf, actor, takeBack)) return 'is out'
    return isNeeded ? 'needs a key' : 'was out'
  }

  /** Looks once a second on average, so that made-up names of keys cause no load; who comes too early waits. */
  function pollForUnknown(): Promise<void> {
    if (waiting) return waiting
    const now = performance.now()
    looks = looks.filter((at) => now - at < BURST * 1000)
    const [oldest = now] = looks
    if (looks.length < BURST) return pollNow()
    waiting = delay(oldest + BURST * 1000 - now, undefined, { ref: false }).then(() => {
      // Who comes from here on may ask for what is published after this look.
      waiting = undefined
      return pollNow()
    })
    return waiting
  }

  function pollNow(): Promise<void> {
    const look = rotation.look()
    // Those who come at the same moment share one.
    if (look !== lastPoll) looks.push(performance.now())
    lastPoll = look
    return look
  }

  const isFresh = () => Math.abs(Date.now() - keeper.confirmedAt) <= LATE * 1000
  const isSigningRevoked = () => ring.signing.some(({ kid }) => isKeyRevoked(kid))

  async function join(other: readonly OpenKey[]): Promise<number> {
    const { keys } = await keeper.read()
    const canDo = canSign(mergeKeyRings(keys, other, 0).keys)
    const fresh = canDo ? [] : await makeKeys()
    let added = 0
    await keeper.change((own) => {
      const step = mergeKeyRings(own, other, Date.now() / 1000, fresh)
      added = step.keys.filter(({ kid }) => !own.some((key) => key.kid === kid)).length
      return step
    })
    rotation.replenishSoon(0)
    return added
  }

  return {
    follow: rotation.follow,

    exportable: {
      toText: async () => records.toText(await keeper.read()),
      async open(text) {
        const other = await records.fromText(text)
        return () => join(other)
      },
    },

    get ring() {
      return ring
    },

    get condition() {
      const keys = keeper.known?.keys ?? []
      const { rotateAfterSeconds: rotateAfter, publishAheadSeconds: publishAhead } = schedule
      return {
        managedByHost: false,
        keys: inState(keys, 'current', 'next').map(({ alg, state, since }) => ({ alg, state, since })),
        isSigningRevoked: isSigningRevoked(),
        confirmedAt: Number.isFinite(keeper.confirmedAt) ? keeper.confirmedAt : undefined,
        isStale: !isFresh(),
        failure: keeper.failure,
        rotationDue: rotationDue(keys, { rotateAfter, publishAhead }),
        replaced: keeper.known?.replaced,
      }
    },

    async getKey(header, token) {
      try {
        return await findKey(header, token)
      } catch (error) {
        const isKnown = keeper.known?.keys.some(({ kid }) => kid === header?.kid)
        if (!(error instanceof errors.JWKSNoMatchingKey) || isKnown) throw error
      }
      await pollForUnknown()
      return findKey(header, token)
    },

    async ensureFresh() {
      // What is revoked is heard of before the ring is read: what it signed would be dead on arrival.
      if (isFresh() && !isSigningRevoked()) return
      await rotation.look().catch((error: unknown) => {
        if (!isFresh()) throw error
      })
    },

    onChanged(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    async list() {
      const [{ keys }, policy] = await Promise.all([keeper.read(), readPolicy()])
      return inState(keys, 'current', 'next', 'previous', 'revoked', 'retired').map((key) => {
        const until = endOf(keys, key, policy)
        return {
          kid: key.kid,
          alg: key.alg,
          state: key.state,
          createdAt: Math.floor(key.createdAt),
          since: Math.floor(key.since),
          ...(until !== undefined && { until: Math.ceil(until) }),
        }
      })
    },

    async rotate(options) {
      const actor = actorOf(options)
      const replaced = inState((await keeper.read()).keys, 'current').map(({ kid }) => kid)
      // They take long, and nobody waits for them but the caller.
      const fresh = await makeKeys()
      await keeper.change((keys) => rotate(keys, Date.now() / 1000, fresh, replaced), actor)
      rotation.replenishSoon(0)
    },

    async revoke(kid, options) {
      const actor = actorOf(options)
      const isIt = (key: OpenKey) => key.kid === kid
      const found = keeper.known?.keys.find(isIt) ?? (await keeper.read()).keys.find(isIt)
      if (!found) throw new GatehouseError('ERR_NOT_FOUND', `there is no signing key "${kid}"`)
      const since = found.state === 'revoked' ? found.since : Date.now() / 1000
      const takeBack = async () => {
        const { tail } = await policy
        await revokedKeys.takeBack(kid, Math.ceil(since + tail[found.alg]), actor)
      }
      // Every moment counts: while the ring is written.
      const policy = readPolicy()
      policy.catch(() => {})
      // It takes long, and is hardly ever needed.
      let fresh: readonly OpenKey[] = []
      let outcome = await takeOutOfService(kid, fresh, takeBack, actor)
      while (outcome === 'needs a key') {
        fresh = await makeKeys([found.alg])
        outcome = await takeOutOfService(kid, fresh, takeBack, actor)
      }
      if (outcome === 'was out') await takeBack()
      rotation.replenishSoon(0)
    },
  }
}
