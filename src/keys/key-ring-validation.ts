import { ALGORITHMS, KEY_STATES, partOf } from './key-states.ts'

/** Epoch seconds that no time of a key may exceed: the year 4707. */
const LATEST = 86_400_000_000

/** What is wrong with keys that come from elsewhere, as a sentence; undefined if they can be a ring. */
export function findKeyRingProblem(keys: unknown): string | undefined {
  if (!Array.isArray(keys) || keys.length === 0) return 'must be a list of keys'
  for (const [index, key] of keys.entries()) {
    const problem = findKeyProblem(key)
    if (problem !== undefined) return `keys[${index}] ${problem}`
  }
  const names = new Set((keys as readonly { kid: string }[]).map(({ kid }) => kid))
  return names.size === keys.length ? undefined : 'two keys have the same name'
}

function findKeyProblem(key: unknown): string | undefined {
  if (typeof key !== 'object' || key === null) return 'must be an object'
  const { kid, alg, state, createdAt, since, sealed } = key as Record<string, unknown>
  if (typeof kid !== 'string' || kid === '' || kid.length > 256) {
    return 'must have a `kid` of 1 to 256 characters'
  }
  if (!isOneOf(ALGORITHMS, alg)) return 'must have ES256 or RS256 as its `alg`'
  if (!isOneOf(KEY_STATES, state)) return `must have a \`state\` out of ${KEY_STATES.join(', ')}`
  if (!isTime(createdAt) || !isTime(since)) return 'must have `createdAt` and `since` in epoch seconds'
  const isNeeded = partOf({ kid, alg, state, createdAt, since }) !== undefined
  if (isNeeded && typeof sealed !== 'string') return 'must have `sealed`, in which the key itself is'
  return undefined
}

function isOneOf<T>(list: readonly T[], value: unknown): value is T {
  return list.includes(value as T)
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LATEST
}
