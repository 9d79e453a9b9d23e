/** Lists the keys that a gatehouse stores in Redis, each with its kind, size and time to live. */
import type { Redis } from 'ioredis'

/** One key. */
export interface KeyInRedis {
  /** The key without the prefix of the adapter. */
  readonly name: string
  readonly kind: string
  /** The answer of `MEMORY USAGE`. The size of an index is measured with all members, not estimated. */
  readonly bytes: number
  /** Milliseconds until the key expires; -1 if it has no expiry. */
  readonly ttl: number
}

/** The number of keys of one kind, and the sum of their bytes. */
export interface OfKind {
  readonly count: number
  readonly bytes: number
}

/**
 * Patterns of key names. The first match counts, so a more specific pattern comes before a general pattern.
 */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/^clients:(apiKey|application)$/, 'list of all clients'],
  [/^clients:deleted$/, 'list of deleted clients'],
  [/^clients:resource-servers$/, 'list of resource servers'],
  [/^clients:(apiKey|application):of:/, "list of an account's clients"],
  [/^grants:of:[^:]+$/, "list of an account's grants: its buckets"],
  [/^grants:of:[^:]+:/, "list of an account's grants: a bucket"],
  [/^signing-keys:ring$/, 'key ring'],
  [/^signing-keys:longest-/, 'longest lifetime'],
  [/^revocations:buckets:/, 'revocations by their end'],
  [/^revocations:recent:/, 'revocations by their making'],
  [/^revocations:buckets$/, 'revocations: buckets'],
  [/^changes:unfinished$/, 'changes: unfinished'],
  [/^audit:[a-z]+:head$/, 'end of an audit trail'],
  [/^([a-z-]+):/, ''],
]

/** Kinds without an expiry: the clients, the signing keys, and the state that all processes share. */
const PERMANENT: ReadonlySet<string> = new Set([
  'client',
  'client-usage',
  'secret-owner',
  'client-names',
  'list of all clients',
  "list of an account's clients",
  'list of deleted clients',
  'list of resource servers',
  'catalog',
  'key ring',
  'longest lifetime',
  'revocations: buckets',
  'end of an audit trail',
])

/** Number of keys in one pipeline. */
const BATCH_SIZE = 5000

/**
 * Returns the kind of a key: the first word of its name, or a description of the index.
 *
 * @param name the key without the prefix of the adapter
 */
function kindOf(name: string): string {
  for (const [pattern, kind] of KINDS) {
    const match = pattern.exec(name)
    if (match) return kind || (match[1] ?? name)
  }
  return name
}

/** Lists all keys in Redis that begin with a prefix. */
export async function keysInRedis(client: Redis, prefix = 'gatehouse:'): Promise<KeyInRedis[]> {
  const keys: KeyInRedis[] = []
  const names = await client.keys(`${prefix}*`)
  for (let at = 0; at < names.length; at += BATCH_SIZE) {
    const batch = names.slice(at, at + BATCH_SIZE)
    const pipeline = client.pipeline()
    for (const name of batch) pipeline.memory('USAGE', name, 'SAMPLES', 0).pttl(name)
    const replies = ((await pipeline.exec()) ?? []).map(([, reply]) => reply)
    for (const [index, full] of batch.entries()) {
      const [bytes, ttl] = [Number(replies[2 * index] ?? 0), Number(replies[2 * index + 1])]
      const name = full.slice(prefix.length)
      // A time to live of -2 means that the key has expired since KEYS listed it.
      if (ttl !== -2) keys.push({ name, kind: kindOf(name), bytes, ttl })
    }
  }
  return keys
}

/** Counts and sizes of the keys by kind. */
export function byKind(keys: readonly KeyInRedis[]): Map<string, OfKind> {
  const kinds = new Map<string, OfKind>()
  for (const { kind, bytes } of keys) {
    const before = kinds.get(kind) ?? { count: 0, bytes: 0 }
    kinds.set(kind, { count: before.count + 1, bytes: before.bytes + bytes })
  }
  return kinds
}

/** The keys of a grant, of its refresh tokens and of its account's list of grants. */
export function keysOfGrant(keys: readonly KeyInRedis[], grantId: string): KeyInRedis[] {
  return keys.filter(({ name }) => name.endsWith(`:${grantId}`) || name.startsWith('grants:of:'))
}

/** The sum of the bytes of keys. */
export function bytesOf(keys: readonly KeyInRedis[]): number {
  return keys.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** Returns the keys that have no expiry although keys of their kind must expire. */
export function forgottenExpiries(keys: readonly KeyInRedis[]): KeyInRedis[] {
  return keys.filter(({ kind, ttl }) => ttl === -1 && !PERMANENT.has(kind))
}

/**
 * Simulates that time passes in Redis, whose clock cannot be set. The function shortens the time to live of
 * keys.
 *
 * @param pattern the pattern of the keys whose time to live is shortened
 */
export async function passTime(client: Redis, milliseconds: number, pattern = '*'): Promise<void> {
  await client.eval(PASS_TIME, 0, milliseconds, pattern)
}

const PASS_TIME = `
for _, key in ipairs(redis.call('KEYS', ARGV[2])) do
  local ttl = redis.call('PTTL', key)
  if ttl >= 0 then redis.call('PEXPIRE', key, ttl - ARGV[1]) end
end`
