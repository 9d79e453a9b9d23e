import type { Patch } from './fleet.ts'
import type { PromiseName } from './promises.ts'
import type { OtherServer } from '../support/other-servers.ts'
import type { StoreKind } from './stores.ts'

/** A fault in the library that a run must find. The run applies it to a copy of the sources. */
export interface Mutant {
  readonly name: string
  readonly patches: readonly Patch[]
  /** Where it shows: the servers, the faults that bring it out, and the promises of which at least one is broken. */
  readonly kind: StoreKind
  readonly faults: readonly string[]
  /** How long a run that shall find it takes. */
  readonly seconds: number
  readonly breaks: readonly PromiseName[]
  /** Another server than the first `redis-server` in PATH: a folder of `test/support/other-servers.sh`. */
  readonly server?: OtherServer
}

const SCRIPTS = 'adapters/redis/write-scripts.ts'

/** The writes that make WAIT count where a script finds nothing to change. */
const NO_EXTRA_WRITES: readonly Patch[] = [
  {
    file: SCRIPTS,
    replace: `if changes == 0 then
  redis.call('ZADD', KEYS[1], 1, ARGV[1])
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
end`,
    by: '',
  },
  {
    file: SCRIPTS,
    replace: `if #redis.call('ZRANGEBYLEX', KEYS[1], member, member) == 0 then
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
end`,
    by: '',
  },
  { file: SCRIPTS, replace: `  redis.call('SET', KEYS[1], '', 'EX', 1)`, by: '' },
]

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'compare-and-swap-is-a-write',
    patches: [
      { file: SCRIPTS, replace: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end`, by: '' },
    ],
    kind: 'alone',
    faults: [],
    seconds: 4,
    breaks: ['one-time', 'kept'],
  },
  {
    name: 'no-wait',
    patches: [
      {
        file: 'adapters/redis/durable-writes.ts',
        replace: 'if (isDoneNow || durable) requireReplicas(waited, durability)',
        by: 'void (isDoneNow || durable ? requireReplicas : waited)',
      },
    ],
    kind: 'pair',
    faults: ['replica-behind'],
    seconds: 10,
    breaks: ['one-time', 'kept', 'revoked'],
  },
  {
    name: 'wait-counts-only-its-own-write',
    patches: NO_EXTRA_WRITES,
    server: 'valkey-8.0',
    kind: 'pair',
    faults: ['replica-behind'],
    seconds: 14,
    breaks: ['one-time', 'kept', 'revoked'],
  },
  {
    name: 'lost-message-is-not-read-again',
    patches: [
      {
        file: 'src/revocation/revocation-log.ts',
        replace: 'const after = place ? beyond(place.after) : pad(since)',
        by: 'const after = place ? beyond(place.after) : pad(time)',
      },
      {
        file: 'src/revocation/revocation-log.ts',
        replace: 'const first = place?.number ?? recentNumber(since)',
        by: 'const first = place?.number ?? recentNumber(time)',
      },
    ],
    kind: 'alone',
    faults: ['link-cut', 'link-drops'],
    seconds: 10,
    breaks: ['revoked'],
  },
  {
    name: 'position-is-lost-at-a-reconnect',
    patches: [
      {
        file: 'src/revocation/revocation-follower.ts',
        replace: 'if (isStoreUnavailable(error) && !follower.closed) schedulePoll',
        by: 'follower.cursor = String(follower.now())\n    if (isStoreUnavailable(error) && !follower.closed) schedulePoll',
      },
      // The next poll would read what the first one left out, because each begins a little before its position.
      {
        file: 'src/revocation/revocation-log.ts',
        replace: 'place || isQuiet ? since : time - LATE_ENTRY_MS',
        by: 'place || isQuiet ? since : time',
      },
    ],
    kind: 'alone',
    faults: ['link-cut'],
    seconds: 10,
    breaks: ['revoked'],
  },
  {
    name: 'grace-without-limit',
    patches: [
      {
        file: 'src/grants/refresh-tokens/grace-period.ts',
        replace: ' || Math.abs(now - last.at) >= length',
        by: ' || now - last.at < -length * 1e6',
      },
    ],
    kind: 'alone',
    faults: [],
    seconds: 8,
    breaks: ['one-time'],
  },
  {
    name: 'epoch-is-not-raised',
    patches: [
      {
        file: 'src/clients/client-record.ts',
        replace: 'epoch: record.client.epoch + 1',
        by: 'epoch: record.client.epoch',
      },
    ],
    kind: 'alone',
    faults: [],
    seconds: 4,
    breaks: ['revoked'],
  },
  {
    name: 'change-is-not-listed',
    patches: [
      {
        file: 'src/commit/commit.ts',
        replace: 'const begun = listed(unfinished, isRemoval)',
        by: 'const begun = (void listed, Promise.resolve<Begun>({ unfinished }))',
      },
    ],
    kind: 'alone',
    faults: ['process-killed'],
    seconds: 14,
    breaks: ['recorded', 'revoked'],
  },
  {
    name: 'audit-entry-after-the-change',
    patches: [
      {
        file: 'src/audit/recording.ts',
        replace: 'return own.length === 0 ? record : { ...record, audit: [...carriedBy(record), ...own] }',
        by: 'return record',
      },
    ],
    kind: 'alone',
    faults: ['process-killed'],
    seconds: 14,
    breaks: ['recorded'],
  },
]
