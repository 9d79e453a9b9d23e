import { CredentialsRejectedError, GatehouseError } from '../../src/errors.ts'
import { pass } from '../../src/store/check-results.ts'
import type { StoreCheck } from '../../src/store/contract.ts'
import { unavailable } from './errors.ts'

/** Reads what decides whether the store may use a database, and what `inspect` reports. */
export const STATE = `select
  extract(epoch from clock_timestamp())::float8 * 1000 as time,
  current_setting('server_version_num')::integer / 10000 as version,
  pg_is_in_recovery() as "isStandby",
  current_setting('transaction_read_only') = 'on' as "isReadOnly",
  current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on' as "isCrashSafe",
  current_setting('transaction_isolation') as isolation,
  current_setting('synchronous_commit') as "synchronousCommit",
  current_setting('synchronous_standby_names') <> '' as "namesStandby",
  (select string_agg(relname, ', ') from pg_class where relnamespace = 'gatehouse'::regnamespace
    and relkind = 'r' and relpersistence <> 'p' and relname not in ('counter', 'message')) as unlogged,
  (select string_agg(distinct privilege, ', ') from pg_class
    cross join unnest(array['select', 'insert', 'update', 'delete']) as privilege
    where relnamespace = 'gatehouse'::regnamespace and relkind = 'r'
      and not has_table_privilege(pg_class.oid, privilege)) as "missingRights",
  (select extract(epoch from clock_timestamp() - swept_at)::float8 from gatehouse.state) as "sweptSecondsAgo",
  (select count(*)::integer from pg_stat_replication) as standbys,
  (select count(*)::integer from pg_stat_replication where state is null) as "hiddenStandbys",
  (select count(*)::integer from pg_stat_replication where sync_state in ('sync', 'quorum')) as "confirmingStandbys",
  (select coalesce(max(extract(epoch from replay_lag)), 0)::float8 from pg_stat_replication) as "lagSeconds",
  (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
    as "maxConnections"`

type Names = 'time' | 'version' | 'sweptSecondsAgo' | 'lagSeconds' | 'connections' | 'maxConnections'
type Standbys = 'standbys' | 'hiddenStandbys' | 'confirmingStandbys'

/** A row of `STATE`. */
export type DatabaseState = Readonly<
  Record<Names | Standbys, number> &
    Record<'isStandby' | 'isReadOnly' | 'isCrashSafe' | 'namesStandby', boolean> &
    Record<'synchronousCommit' | 'isolation', string> &
    Record<'unlogged' | 'missingRights', string | null>
>

/** What only the process knows. */
export interface OwnState {
  readonly isListening: boolean
  readonly areDelivered: boolean
  readonly wasDiskFull: boolean
  /** Whether the pool waits without end for a connection. */
  readonly waitsForever: boolean
}

const OLDEST_VERSION = 14
const MAX_LAG_SECONDS = 10
const MAX_SWEEP_AGE_SECONDS = 600
const FULL_SHARE = 0.9

/**
 * A standby has outdated data, and a commit that does not wait for the disk may be lost.
 *
 * @throws {GatehouseError} `ERR_OPTIONS`, or `ERR_STORE_UNAVAILABLE` if it is a standby, or a right is missing
 */
export function requireUsable(state: DatabaseState): void {
  const checks = [checkWrites(state, false), checkRights(state), checkPersistence(state)]
  const problem = checks.find(({ status }) => status === 'fail')
  if (problem === undefined) return
  const message = `PostgreSQL cannot be used: ${problem.message}. ${problem.remedy}`
  if (problem.name === 'writes') throw unavailable(message)
  if (problem.name === 'rights') throw new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', message)
  throw new GatehouseError('ERR_OPTIONS', message)
}

export function checkDatabase(state: DatabaseState, own: OwnState): StoreCheck[] {
  const { version, sweptSecondsAgo, connections, maxConnections } = state
  const swept = `expired rows were last deleted ${Math.round(sweptSecondsAgo)} s ago`
  const used = `${connections} of ${maxConnections} connections are used`
  return [
    checkWrites(state, own.wasDiskFull),
    checkRights(state),
    checkPersistence(state),
    checkStandbys(state),
    check('sweep', swept, [
      sweptSecondsAgo > MAX_SWEEP_AGE_SECONDS,
      'warn',
      swept,
      'Each process deletes them every minute: look for statements that wait for locks in pg_stat_activity',
    ]),
    check(
      'connections',
      used,
      [
        connections >= FULL_SHARE * maxConnections,
        'warn',
        used,
        'Raise max_connections, lower `max` of the pools, or use a pooler',
      ],
      [
        own.waitsForever,
        'warn',
        'the pool waits without end for a connection to PostgreSQL',
        'Set connectionTimeoutMillis of the pool to 1000',
      ],
    ),
    check(
      'messages',
      own.isListening ? 'PostgreSQL delivers messages' : 'this process does not listen to messages yet',
      [
        own.isListening && !own.areDelivered,
        'warn',
        'PostgreSQL delivers no messages to this process, which polls every second instead',
        'Connect directly to PostgreSQL, or use session pooling: a pooler in transaction mode loses LISTEN',
      ],
    ),
    check('version', `the server is PostgreSQL ${version}`, [
      version < OLDEST_VERSION,
      'warn',
      `PostgreSQL ${version} is older than the tested versions`,
      `Use PostgreSQL ${OLDEST_VERSION} or later`,
    ]),
  ]
}

function checkWrites({ isStandby, isReadOnly }: DatabaseState, wasDiskFull: boolean): StoreCheck {
  return check(
    'writes',
    'PostgreSQL accepts writes',
    [
      isStandby,
      'fail',
      'this server is a standby, which accepts no writes',
      'Connect the pool to the primary, by an address that follows a failover',
    ],
    [
      isReadOnly,
      'fail',
      'transactions are read-only',
      'Set default_transaction_read_only to off for this user',
    ],
    [
      wasDiskFull,
      'fail',
      'the disk was full within the last minute, and PostgreSQL rejected writes',
      'Free space on the disk of PostgreSQL, and look for replication slots that keep old WAL files',
    ],
  )
}

function checkRights({ missingRights }: DatabaseState): StoreCheck {
  return check('rights', 'the user of the pool has all rights', [
    missingRights !== null,
    'fail',
    `the user of the pool lacks rights on some tables: ${missingRights}`,
    'Grant select, insert, update and delete on all tables of the schema, as docs/postgresql.md shows',
  ])
}

function checkPersistence(state: DatabaseState): StoreCheck {
  const { synchronousCommit: setting, namesStandby, unlogged, isCrashSafe, isolation } = state
  const lost = setting === 'off' ? 'disk' : 'standby'
  return check(
    'persistence',
    `commits wait for the disk${namesStandby ? ' and for the named standby' : ''}`,
    [
      unlogged !== null,
      'fail',
      `a crash empties unlogged tables: ${unlogged}`,
      'Run ALTER TABLE … SET LOGGED for each of them',
    ],
    [
      setting === 'off' || (setting === 'local' && namesStandby),
      'fail',
      `with synchronous_commit = ${setting}, commits do not wait for the ${lost}`,
      'Set synchronous_commit to on for the user of the pool: ALTER ROLE … SET synchronous_commit = on',
    ],
    [
      isolation !== 'read committed',
      'fail',
      `the isolation level is ${isolation}, at which members of lists may be lost`,
      "Set default_transaction_isolation to 'read committed' for the user of the pool",
    ],
    [
      !isCrashSafe,
      'warn',
      'fsync or full_page_writes is off: if the machine fails, the data may be lost',
      'Set fsync and full_page_writes to on in postgresql.conf',
    ],
  )
}

function checkStandbys(state: DatabaseState): StoreCheck {
  const { namesStandby, standbys, hiddenStandbys, confirmingStandbys, lagSeconds } = state
  const found = `${standbys} ${standbys === 1 ? 'standby is' : 'standbys are'} connected`
  const rest = namesStandby ? ', and commits wait for it' : ', and commits wait for none'
  return check(
    'replicas',
    found + rest,
    [
      hiddenStandbys > 0,
      'unknown',
      `${found}, and their state is hidden`,
      'Grant pg_monitor to the user of the pool',
    ],
    [
      namesStandby && confirmingStandbys === 0,
      'fail',
      'no standby of synchronous_standby_names is connected, so no write is confirmed',
      'Start the standby and check its log, or change synchronous_standby_names',
    ],
    [
      lagSeconds > MAX_LAG_SECONDS,
      'warn',
      `${found}, and one is ${Math.round(lagSeconds)} s behind`,
      'Check the load, the network and the log of the standby',
    ],
  )
}

/** The first problem that is there. */
function check(
  name: string,
  passed: string,
  ...problems: readonly (readonly [isThere: boolean, StoreCheck['status'], message: string, remedy: string])[]
): StoreCheck {
  const [, status, message, remedy] = problems.find(([isThere]) => isThere) ?? []
  return status && message !== undefined ? { name, status, message, remedy } : pass(name, passed)
}
