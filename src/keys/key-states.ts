import type { SigningAlgorithm } from './generate-key.ts'

/** The order in which a key goes through its states; it never goes back. */
export const KEY_STATES = ['next', 'current', 'previous', 'retired', 'revoked'] as const

/**
 * What becomes of a key: it is published as the `next` one, signs as the `current` one, stays published as a
 * `previous` one until all that it has signed has expired, and is `retired`; or it is `revoked` before its time.
 */
export type KeyState = (typeof KEY_STATES)[number]

/** What of a key decides what becomes of it. */
export interface RingKey {
  readonly kid: string
  readonly alg: SigningAlgorithm
  readonly state: KeyState
  /** When it was made, and published: epoch seconds, with a fraction. */
  readonly createdAt: number
  /** Since when it has been in its state: epoch seconds, with a fraction. */
  readonly since: number
}

/** When keys change, in seconds. */
export interface RotationPolicy {
  /** For how long a key signs. */
  readonly rotateAfter: number
  /** For how long it is published before it does. */
  readonly publishAhead: number
  /** For how long a key stays published after it has signed; see `retentionOf`. */
  readonly tail: Readonly<Record<SigningAlgorithm, number>>
}

/** What happened to a key. */
export interface KeyChange {
  readonly what: 'published' | 'activated' | 'retired' | 'revoked'
  readonly kid: string
  readonly alg: SigningAlgorithm
}

/** The keys after a step, the same list if nothing was to be done, and what of it others are told. */
export interface KeyStep<Key extends RingKey> {
  readonly keys: readonly Key[]
  readonly changes: readonly KeyChange[]
}

/** Those that keys are for. */
export const ALGORITHMS: readonly SigningAlgorithm[] = ['ES256', 'RS256']

/** Seconds that a process may take to hear of a rotation: it looks more often, and does not sign before it has. */
export const LATE = 3600
/** Seconds that it takes all processes to publish a key that one has made, where no message reaches them. */
const HEARING = 60
/** Seconds by which clocks may differ. */
const SKEW = 120
/** Retired keys of each algorithm that are still listed. */
const REMEMBERED = 5

/**
 * Seconds for which a key stays published after it has signed for the last time here: what it has signed lives for
 * `longestLifetime`, and another process may have signed with it after that.
 */
export function retentionOf(longestLifetime: number): number {
  return longestLifetime + LATE + SKEW
}

/** What must be there of a key: its private part, its public part, or nothing. */
export function partOf({ alg, state }: RingKey): 'private' | 'public' | undefined {
  if (state === 'retired' || state === 'revoked') return undefined
  // Relies on: oidc-provider takes private keys only, and checks the `id_token_hint` of a sign-out with them.
  return state === 'previous' && alg === 'ES256' ? 'public' : 'private'
}

/** Keys of a state, those of each algorithm in the order of their making. */
export function inState<Key extends RingKey>(keys: readonly Key[], ...states: readonly KeyState[]): Key[] {
  return states.flatMap((state) => keys.filter((key) => key.state === state))
}

/** Whether a key signs, or can at once, for each algorithm. */
export function canSign(keys: readonly RingKey[]): boolean {
  return ALGORITHMS.every((alg) => inState(keys, 'current', 'next').some((key) => key.alg === alg))
}

/** The algorithms of which no key waits to sign. */
export function lacking(keys: readonly RingKey[]): readonly SigningAlgorithm[] {
  return ALGORITHMS.filter((alg) => !keys.some((key) => key.alg === alg && key.state === 'next'))
}

/**
 * Does what is due: the next key signs, a previous one is retired, what is over is forgotten, what is lacking is
 * filled up.
 *
 * @param now epoch seconds
 * @param fresh new keys, at most one of each algorithm; those that are lacking are published by this
 */
export function advance<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  policy: RotationPolicy,
  fresh: readonly Key[] = [],
): KeyStep<Key> {
  const due = inState(keys, 'current').filter((key) => now >= promotionOf(keys, key, policy))
  const moved = settle(move(keys, now, [takeTurns(due), retireOver(now, policy)]), now, fresh)
  const kept = moved.keys.filter((key) => !isForgotten(moved.keys, key, now, policy))
  return kept.length === moved.keys.length ? moved : { ...moved, keys: kept }
}

/**
 * Lets the next key of each algorithm sign at once, in the place of one that is known.
 *
 * @param replaced the keys that signed when this was asked for: where another one signs by now it is done already
 */
export function rotate<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
  replaced: readonly string[],
): KeyStep<Key> {
  const due = inState(keys, 'current').filter(({ kid }) => replaced.includes(kid))
  return settle(move(keys, now, [takeTurns(due)]), now, fresh)
}

/** Fills up what is lacking, and does nothing else. */
export function replenish<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
): KeyStep<Key> {
  return settle({ keys, changes: [] }, now, fresh)
}

/** Takes a key out of service for good; if it was the current one, the next one signs. */
export function revoke<Key extends RingKey>(
  keys: readonly Key[],
  now: number,
  fresh: readonly Key[],
  revoked: string,
): KeyStep<Key> {
  const takeOutOfService: Move = ({ kid, state }) =>
    kid === revoked && state !== 'revoked' ? 'revoked' : undefined
  return settle(move(keys, now, [takeOutOfService]), now, fresh)
}

/** When something is due next: epoch seconds; `Infinity` if nothing is. */
export function nextDue(keys: readonly RingKey[], policy: RotationPolicy): number {
  return Math.min(...keys.map((key) => endOf(keys, key, policy) ?? Infinity))
}

/**
 * When a key leaves its state by itself, in epoch seconds: a `next` one begins to sign, a `current` one ends, a
 * `previous` one is retired, a `revoked` one is forgotten. Undefined where nothing is known.
 */
export function endOf(keys: readonly RingKey[], key: RingKey, policy: RotationPolicy): number | undefined {
  const other = (state: KeyState) => keys.find((one) => one.alg === key.alg && one.state === state)
  const current = key.state === 'next' ? other('current') : key
  if (key.state === 'retired' || current === undefined) return undefined
  if (key.state === 'previous' || key.state === 'revoked') return key.since + policy.tail[key.alg]
  const end = promotionOf(keys, current, policy)
  return Number.isFinite(end) ? end : undefined
}

/** When another key is to sign: epoch seconds; undefined while none waits to. */
export function rotationDue(
  keys: readonly RingKey[],
  policy: Pick<RotationPolicy, 'rotateAfter' | 'publishAhead'>,
): number | undefined {
  const due = Math.min(...inState(keys, 'current').map((key) => promotionOf(keys, key, policy)))
  return Number.isFinite(due) ? due : undefined
}

/** When the next key takes the place of a current one. */
function promotionOf(
  keys: readonly RingKey[],
  current: RingKey,
  policy: Pick<RotationPolicy, 'rotateAfter' | 'publishAhead'>,
): number {
  const next = keys.find(({ alg, state }) => alg === current.alg && state === 'next')
  if (next === undefined) return Infinity
  const { rotateAfter, publishAhead } = policy
  // It is published everywhere when the last process has heard of it.
  const hearing = Math.min(HEARING, publishAhead / 2)
  return Math.max(current.since + rotateAfter, next.createdAt + hearing + publishAhead)
}

/** The state that a key comes into, or undefined if it stays as it is. */
type Move = (key: RingKey) => KeyState | undefined

/** Those that signed stay published. Who signs instead is found when all have moved. */
function takeTurns(due: readonly RingKey[]): Move {
  return (key) => (due.includes(key) ? 'previous' : undefined)
}

function retireOver(now: number, { tail }: RotationPolicy): Move {
  return ({ alg, state, since }) => (state === 'previous' && now >= since + tail[alg] ? 'retired' : undefined)
}

function isForgotten(keys: readonly RingKey[], key: RingKey, now: number, policy: RotationPolicy): boolean {
  if (key.state === 'revoked') return now >= key.since + policy.tail[key.alg]
  if (key.state !== 'retired') return false
  const retired = keys.filter(({ alg, state }) => alg === key.alg && state === 'retired')
  return retired.indexOf(key) < retired.length - REMEMBERED
}

function move<Key extends RingKey>(keys: readonly Key[], now: number, moves: readonly Move[]): KeyStep<Key> {
  const changes: KeyChange[] = []
  const moved = keys.map((key) => {
    const state = moves.map((to) => to(key)).find((found) => found !== undefined)
    if (state === undefined) return key
    // That another one signs instead is told of that one.
    if (state === 'retired' || state === 'revoked') changes.push({ what: state, kid: key.kid, alg: key.alg })
    return { ...key, state, since: now }
  })
  return moved.every((key, index) => key === keys[index]) ? { keys, changes } : { keys: moved, changes }
}

/** Has one key of each algorithm sign, and one wait, as far as there are any. */
function settle<Key extends RingKey>(before: KeyStep<Key>, now: number, fresh: readonly Key[]): KeyStep<Key> {
  return ALGORITHMS.reduce((step, alg) => {
    const isIn = (state: KeyState) => (key: Key) => key.alg === alg && key.state === state
    const signing = step.keys.some(isIn('current')) ? undefined : step.keys.find(isIn('next'))
    const promoted = signing === undefined ? step : promote(step, signing, now)
    const added = fresh.find((key) => key.alg === alg && !promoted.keys.some(({ kid }) => kid === key.kid))
    if (added === undefined || promoted.keys.some(isIn('next'))) return promoted
    const published = publish(promoted, added, now)
    const [last] = published.keys.slice(-1)
    return published.keys.some(isIn('current')) || !last ? published : promote(published, last, now)
  }, before)
}

function publish<Key extends RingKey>({ keys, changes }: KeyStep<Key>, key: Key, now: number): KeyStep<Key> {
  const { kid, alg } = key
  return {
    keys: [...keys, { ...key, state: 'next' as const, createdAt: now, since: now }],
    changes: [...changes, { what: 'published', kid, alg }],
  }
}

function promote<Key extends RingKey>(
  { keys, changes }: KeyStep<Key>,
  { kid, alg }: RingKey,
  now: number,
): KeyStep<Key> {
  return {
    keys: keys.map((key) => (key.kid === kid ? { ...key, state: 'current' as const, since: now } : key)),
    changes: [...changes, { what: 'activated', kid, alg }],
  }
}
