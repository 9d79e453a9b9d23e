import type { StoreCheck } from '../../../src/store/contract.ts'
import { fail, pass, unknown, warn } from '../../../src/store/check-results.ts'
import type { Fields } from './server-answers.ts'

const NEARLY_FULL_SHARE = 0.85

const NO_EVICTION =
  'CONFIG SET maxmemory-policy noeviction, and the same in redis.conf (CONFIG REWRITE), or in the ' +
  'settings of your provider'

/** Checks whether Redis evicts keys when its memory is full. */
export function checkEviction(info: Fields): StoreCheck {
  const name = 'eviction'
  const policy = info.get('maxmemory_policy')
  if (policy === undefined) {
    return unknown(name, 'Redis does not report its maxmemory-policy', 'Make sure that it is noeviction')
  }
  if (policy === 'noeviction') return pass(name, 'maxmemory-policy is noeviction')
  if (!isLimited(info)) {
    const advice = `before you set it, change maxmemory-policy ${policy} to noeviction`
    return pass(name, `nothing is evicted, because maxmemory is not set; ${advice}`)
  }
  const what = policy.startsWith('volatile-')
    ? 'refresh tokens, revocations and sessions'
    : 'signing keys, API keys, applications, refresh tokens and revocations'
  return fail(name, `maxmemory-policy is ${policy}: when memory is full, Redis evicts ${what}`, NO_EVICTION)
}

export const MORE_MEMORY =
  'Give Redis more memory (CONFIG SET maxmemory …), or give the service a Redis of its own'

export function checkMemory(info: Fields): StoreCheck | undefined {
  const limit = Number(info.get('maxmemory') ?? 0)
  const share = usedShare(info)
  if (!isLimited(info)) return undefined
  const message = `${Math.floor(share * 100)} % of maxmemory (${megabytes(limit)}) are used`
  if (share < NEARLY_FULL_SHARE) return pass('memory', message)
  const rejects = info.get('maxmemory_policy') === 'noeviction'
  const full = `${message}; when it is full, Redis ${rejects ? 'rejects writes' : 'evicts data'}`
  return share < 1 ? warn('memory', full, MORE_MEMORY) : fail('memory', full, MORE_MEMORY)
}

export function isLimited(info: Fields): boolean {
  return Number(info.get('maxmemory') ?? 0) > 0
}

export function usedShare(info: Fields): number {
  const [used, uncounted, limit] = ['used_memory', 'mem_not_counted_for_evict', 'maxmemory'].map((name) =>
    Number(info.get(name) ?? 0),
  )
  // Redis does not count the buffers of replicas for `maxmemory`.
  return limit ? Math.max(0, (used ?? 0) - (uncounted ?? 0)) / limit : 0
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 104_857.6) / 10} MiB`
}
