import {
  ALGORITHMS,
  replenish,
  KEY_STATES,
  type KeyChange,
  type KeyState,
  type KeyStep,
  type RingKey,
} from './key-states.ts'

/**
 * Makes one ring of two: of the one in force and of one that comes from another store. The current keys of the other
 * sign from now on; those that signed until now stay published as previous ones, and those that waited here are not
 * needed. A key of both is in the state that is further on, so that the same ring once more changes nothing.
 *
 * @param other of a ring that this one has come from, too: what has been forgotten here since does not come back
 * @param now epoch seconds
 * @param fresh new keys, where none could sign otherwise
 */
export function mergeKeyRings<Key extends RingKey>(
  own: readonly Key[],
  other: readonly Key[],
  now: number,
  fresh: readonly Key[] = [],
): KeyStep<Key> {
  const known = new Set(own.map(({ kid }) => kid))
  const added = withoutForgotten(other, known).filter(({ kid }) => !known.has(kid))
  const changes: KeyChange[] = []
  const moved = own.map((key) => {
    const further = other.find(({ kid }) => kid === key.kid)
    const state = further && isFurther(further, key) ? further : undefined
    const comes = state ?? giveWay(key, added, now)
    if (comes !== key && (comes.state === 'retired' || comes.state === 'revoked')) {
      changes.push(changeTo(comes.state, key))
    }
    return comes === key ? key : withState(key, comes)
  })
  if (added.length === 0 && moved.every((key, at) => key === own[at])) return { keys: own, changes: [] }

  const keys = [...moved, ...added].toSorted((one, two) => one.createdAt - two.createdAt)
  for (const key of added) {
    if (key.state === 'next' || key.state === 'current') changes.push(changeTo('published', key))
    if (key.state === 'current') changes.push(changeTo('activated', key))
  }
  const filled = replenish(oneOfEach(keys, now), now, fresh)
  return { keys: filled.keys, changes: [...changes, ...filled.changes] }
}

/**
 * Where both rings have a key in common, one has come from the other: what is older than the newest that they have in
 * common, and is not here any more, was done with, or had leaked.
 */
function withoutForgotten<Key extends RingKey>(
  other: readonly Key[],
  known: ReadonlySet<string>,
): readonly Key[] {
  const common = other.filter(({ kid }) => known.has(kid))
  return other.filter((key) => {
    const newest = Math.max(...common.filter(({ alg }) => alg === key.alg).map(({ createdAt }) => createdAt))
    return key.createdAt > newest
  })
}

/** What becomes of a key of ours beside those that come. */
function giveWay<Key extends RingKey>(key: Key, added: readonly Key[], now: number): RingKey {
  const has = (state: KeyState) => added.some((one) => one.alg === key.alg && one.state === state)
  if (key.state === 'current' && has('current')) return { ...key, state: 'previous', since: now }
  // It has signed nothing.
  if (key.state === 'next' && has('next')) return { ...key, state: 'retired', since: now }
  return key
}

/** Of several current or next keys of an algorithm the newest is it. */
function oneOfEach<Key extends RingKey>(keys: readonly Key[], now: number): readonly Key[] {
  return ALGORITHMS.reduce((all, alg) => {
    const last = (state: KeyState) => all.findLast((key) => key.alg === alg && key.state === state)
    const [current, next] = [last('current'), last('next')]
    return all.map((key) => {
      if (key.alg !== alg || key === current || key === next) return key
      if (key.state === 'current') return withState(key, { state: 'previous', since: now })
      return key.state === 'next' ? withState(key, { state: 'retired', since: now }) : key
    })
  }, keys)
}

function isFurther(one: RingKey, other: RingKey): boolean {
  return KEY_STATES.indexOf(one.state) > KEY_STATES.indexOf(other.state)
}

function withState<Key extends RingKey>(key: Key, { state, since }: Pick<RingKey, 'state' | 'since'>): Key {
  return { ...key, state, since }
}

function changeTo(what: KeyChange['what'], { kid, alg }: RingKey): KeyChange {
  return { what, kid, alg }
}
