// Model: test/proof/models/key-rotation.pml
import { CLOCK_SKEW_SECONDS } from '../async/clock-tolerances.ts'
import { ALGORITHMS, type SigningAlgorithm } from './generate-key.ts'

const DAY = 86_400

/** The option `signingKeys.rotateAfterSeconds`. */
export const ROTATE_AFTER_SECONDS = { byDefault: 90 * DAY, min: 2, max: 3660 * DAY }

/** The option `signingKeys.publishAheadSeconds`. */
export const PUBLISH_AHEAD_SECONDS = { byDefault: DAY, max: 366 * DAY }

/** The states of a key, in the order in which a key enters them. A key never returns to an earlier state. */
export const KEY_STATES = ['next', 'current', 'previous', 'retired', 'revoked'] as const

/**
 * `next`: published. `current`: signs. `previous`: published until its tokens expire. `revoked` may follow any state.
 */
export type KeyState = (typeof KEY_STATES)[number]

export interface RingKey {
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly state: KeyState
  /** When the key was generated and published, in epoch seconds with a fraction. */
  readonly createdAt: number
  /** When the key entered its state, in epoch seconds with a fraction. */
  readonly since: number
}

/** When keys change their states. All times are in seconds. */
export interface RotationPolicy {
  readonly rotateAfter: number
  /** How long a key is published before it signs. */
  readonly publishAhead: number
  /** How long a key stays published after another key has replaced it; see `retentionOf`. */
  readonly tail: Readonly<Record<SigningAlgorithm, number>>
}

export interface KeyChange {
  readonly what: 'published' | 'activated' | 'retired' | 'revoked'
  readonly kid: string
  readonly alg: SigningAlgorithm
}

/** If nothing changed, `keys` is the same array as before the change. */
export interface KeyStep<Key extends RingKey> {
  readonly keys: readonly Key[]
  readonly changes: readonly KeyChange[]
}

/** Keys that were read longer ago are stale. The ring is then read again before anything is signed. */
export const STALE_AFTER_SECONDS = 3600
/** Within it, all processes publish a new key, even if its notification is lost. */
const POLL_INTERVAL_SECONDS = 60
const MAX_LISTED_RETIRED = 5

/** A process that missed the replacement may sign with the old key until its keys are stale. */
export function retentionOf(longestLifetime: number): number {
  return longestLifetime + STALE_AFTER_SECONDS + CLOCK_SKEW_SECONDS
}

/** The part of a key that a process needs; undefined if it needs none. */
export function partOf({ alg, state }: RingKey): 'private' | 'public' | undefined {
  if (state === 'retired' || state === 'revoked') return undefined
  // oidc-provider verifies the `id_token_hint` of a sign-out with a previous RS256 key, and accepts private keys only.
  return state === 'previous' && alg === 'ES256' ? 'public' : 'private'
}

/** In the order of the states; keys of the same state in the order of their creation. */
export function inState<Key extends RingKey>(keys: readonly Key[], ...states: readonly KeyState[]): Key[] {
  return states.flatMap((state) => keys.filter((key) => key.state === state))
}

export function canSign(keys: readonly RingKey[]): boolean {
  return ALGORITHMS.every((alg) => inState(keys, 'current', 'next').some((key) => key.alg === alg))
}

export function missingNext(keys: readonly RingKey[]): readonly SigningAlgorithm[] {
  return ALGORITHMS.filter((alg) => !keys.some((key) => key.alg === alg && key.state === 'next'))
}

/** Makes the changes that are due. @param fresh a key is added if its algorithm has no `next` key */
export function advance<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  policy: RotationPolicy,
  fresh: readonly Key[] = [],
): KeyStep<Key> {
  const due = inState(keys, 'current').filter((key) => now >= activationOf(keys, key, policy))
  const moved = fillUp(
    move(keys, now, (key) => demote(due)(key) ?? retire(now, policy)(key)),
    now,
    fresh,
  )
  const kept = moved.keys.filter((key) => !isExpired(moved.keys, key, now, policy))
  return kept.length === moved.keys.length ? moved : { ...moved, keys: kept }
}

/** Activates the next key of each algorithm. Already done if no key with an id in `replaced` is current. */
export function rotate<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
  replaced: readonly string[],
): KeyStep<Key> {
  const due = inState(keys, 'current').filter(({ kid }) => replaced.includes(kid))
  return fillUp(move(keys, now, demote(due)), now, fresh)
}

export function replenish<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
): KeyStep<Key> {
  return fillUp({ keys, changes: [] }, now, fresh)
}

/** Revokes a key permanently. If the key was current, the next key is activated. */
export function revoke<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
  revoked: string,
): KeyStep<Key> {
  const takeOutOfService: Move = ({ kid, state }) =>
    kid === revoked && state !== 'revoked' ? 'revoked' : undefined
  return fillUp(move(keys, now, takeOutOfService), now, fresh)
}

/** In epoch seconds. */
export function nextDue(keys: readonly RingKey[], policy: RotationPolicy): number {
  return Math.min(...keys.map((key) => endOf(keys, key, policy) ?? Infinity))
}

/** When a key leaves its state by itself, in epoch seconds; undefined if not known. A revoked key is deleted then. */
export function endOf(keys: readonly RingKey[], key: RingKey, policy: RotationPolicy): number | undefined {
  const other = (state: KeyState) => keys.find((one) => one.alg === key.alg && one.state === state)
  const current = key.state === 'next' ? other('current') : key
  if (key.state === 'retired' || current === undefined) return undefined
  if (key.state === 'previous' || key.state === 'revoked') return key.since + policy.tail[key.alg]
  const end = activationOf(keys, current, policy)
  return Number.isFinite(end) ? end : undefined
}

/** When a `next` key first becomes current, in epoch seconds; undefined without `next` keys. */
export function rotationDue(keys: readonly RingKey[], policy: Omit<RotationPolicy, 'tail'>) {
  const due = Math.min(...inState(keys, 'current').map((key) => activationOf(keys, key, policy)))
  return Number.isFinite(due) ? due : undefined
}

/** When the `next` key replaces a current key, in epoch seconds; `Infinity` without a `next` key. */
function activationOf(keys: readonly RingKey[], current: RingKey, policy: Omit<RotationPolicy, 'tail'>) {
  const next = keys.find(({ alg, state }) => alg === current.alg && state === 'next')
  if (next === undefined) return Infinity
  const { rotateAfter, publishAhead } = policy
  // `publishAhead` is counted from the time at which all processes have published the next key.
  const polled = Math.min(POLL_INTERVAL_SECONDS, publishAhead / 2)
  return Math.max(current.since + rotateAfter, next.createdAt + polled + publishAhead)
}

type Move = (key: RingKey) => KeyState | undefined

/** Call `fillUp` next, which activates the successors of these keys. */
function demote(due: readonly RingKey[]): Move {
  return (key) => (due.includes(key) ? 'previous' : undefined)
}

function retire(now: number, { tail }: RotationPolicy): Move {
  return ({ alg, state, since }) => (state === 'previous' && now >= since + tail[alg] ? 'retired' : undefined)
}

/** A revoked key whose tokens have expired, or one of the oldest retired keys. */
function isExpired(keys: readonly RingKey[], key: RingKey, now: number, policy: RotationPolicy): boolean {
  if (key.state === 'revoked') return now >= key.since + policy.tail[key.alg]
  if (key.state !== 'retired') return false
  const retired = keys.filter(({ alg, state }) => alg === key.alg && state === 'retired')
  return retired.indexOf(key) < retired.length - MAX_LISTED_RETIRED
}

function move<Key extends RingKey>(keys: readonly Key[], now: number, to: Move): KeyStep<Key> {
  const changes: KeyChange[] = []
  const moved = keys.map((key) => {
    const state = to(key)
    if (state === undefined) return key
    // A move to `previous` is not reported, because the activation of the successor is reported.
    if (state === 'retired' || state === 'revoked') changes.push({ what: state, kid: key.kid, alg: key.alg })
    return { ...key, state, since: now }
  })
  return moved.every((key, index) => key === keys[index]) ? { keys, changes } : { keys: moved, changes }
}

/** Gives each algorithm one `current` key and one `next` key, as far as there are enough keys. */
function fillUp<Key extends RingKey>(before: KeyStep<Key>, now: number, fresh: readonly Key[]): KeyStep<Key> {
  return ALGORITHMS.reduce((step, alg) => {
    const isIn = (state: KeyState) => (key: Key) => key.alg === alg && key.state === state
    const signing = step.keys.some(isIn('current')) ? undefined : step.keys.find(isIn('next'))
    const activated = signing === undefined ? step : activate(step, signing, now)
    const added = fresh.find((key) => key.alg === alg && !activated.keys.some(({ kid }) => kid === key.kid))
    if (added === undefined || activated.keys.some(isIn('next'))) return activated
    const published = publish(activated, added, now)
    const [last] = published.keys.slice(-1)
    return published.keys.some(isIn('current')) || !last ? published : activate(published, last, now)
  }, before)
}

function publish<Key extends RingKey>({ keys, changes }: KeyStep<Key>, key: Key, now: number): KeyStep<Key> {
  const { kid, alg } = key
  return {
    keys: [...keys, { ...key, state: 'next' as const, createdAt: now, since: now }],
    changes: [...changes, { what: 'published', kid, alg }],
  }
}

function activate<Key extends RingKey>(
  { keys, changes }: KeyStep<Key>,
  { kid, alg }: RingKey,
  now: number,
): KeyStep<Key> {
  return {
    keys: keys.map((key) => (key.kid === kid ? { ...key, state: 'current' as const, since: now } : key)),
    changes: [...changes, { what: 'activated', kid, alg }],
  }
}
