import { CredentialsRejectedError, GatehouseError, storeUnavailable } from '../../src/errors.ts'
import { applicable, fail, pass, unknown, warn } from '../../src/store/check-results.ts'
import type { StoreCheck } from '../../src/store/contract.ts'

/** Reads what decides whether the store may use a database, and what `inspect` reports. */
export const STATE = `select
  extract(epoch from clock_timestamp())::float8 * 1000 as time,
  current_setting('server_version_num')::integer / 10000 as version,
  pg_is_in_recovery() as "isStandby",
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

/** A row of `STATE`. */
export type DatabaseState = Readonly<
  Record<'time' | 'version' | 'sweptSecondsAgo' | 'connections' | 'maxConnections', number> &
    Record<'standbys' | 'hiddenStandbys' | 'confirmingStandbys' | 'lagSeconds', number> &
    Record<'isStandby' | 'isCrashSafe' | 'namesStandby', boolean> &
    Record<'synchronousCommit' | 'isolation', string> &
    Record<'unlogged' | 'missingRights', string | null>
>

/** What only the process knows. */
export type OwnState = Readonly<Record<'isListening' | 'areDelivered' | 'wasDiskFull', boolean>>

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
  const problem = problemsBeforeUse(state).find(({ status }) => status === 'fail')
  if (problem === undefined) return
  const message = `PostgreSQL cannot be used: ${problem.message}. ${problem.remedy}`
  if (problem.name === 'writes') throw storeUnavailable(message)
  if (problem.name === 'rights') throw new CredentialsRejectedError('ERR_STORE_UNAVAILABLE', message)
  throw new GatehouseError('ERR_OPTIONS', message)
}

/** One result for each check: the first problem, or that it passes. */
export function checkDatabase(state: DatabaseState, own: OwnState): StoreCheck[] {
  const { namesStandby, standbys, sweptSecondsAgo, connections, maxConnections, version } = state
  const passed = {
    writes: 'PostgreSQL accepts writes',
    rights: 'the user of the pool has all rights',
    persistence: `commits wait for the disk${namesStandby ? ' and for the named standby' : ''}`,
    replicas: `connected standbys: ${standbys}; commits wait for ${namesStandby ? 'those that are named' : 'none'}`,
    sweep: `expired rows were last deleted ${Math.round(sweptSecondsAgo)} s ago`,
    connections: `${connections} of ${maxConnections} connections are used`,
    messages: own.isListening
      ? 'PostgreSQL delivers messages'
      : 'this process does not listen to messages yet',
    version: `the server is PostgreSQL ${version}`,
  }
  const problems = [...problemsBeforeUse(state), ...otherProblems(state, own, passed)]
  return Object.entries(passed).map(
    ([name, message]) => problems.find((problem) => problem.name === name) ?? pass(name, message),
  )
}

const REMEDY = {
  standby: 'Connect the pool to the primary, by an address that follows a failover',
  rights: 'Grant select, insert, update and delete on all tables of the schema, as docs/postgresql.md shows',
  unlogged: 'Run ALTER TABLE … SET LOGGED for each of them',
  commit: 'Set synchronous_commit to on for the user of the pool: ALTER ROLE … SET synchronous_commit = on',
  isolation: "Set default_transaction_isolation to 'read committed' for the user of the pool",
  diskFull: 'Free space on the disk of PostgreSQL, and look for replication slots that keep old WAL files',
  crash: 'Set fsync and full_page_writes to on in postgresql.conf',
  hidden: 'Grant pg_monitor to the user of the pool',
  noStandby: 'Start the standby and check its log, or change synchronous_standby_names',
  lag: 'Check the load, the network and the log of the standby',
  sweep: 'Each process deletes them every minute: look for locks in pg_stat_activity',
  connections: 'Raise max_connections, lower `max` of the pools, or use a pooler',
  messages:
    'Connect directly to PostgreSQL, or use session pooling: a pooler in transaction mode loses LISTEN',
  version: `Use PostgreSQL ${OLDEST_VERSION} or later`,
} as const

function problemsBeforeUse(state: DatabaseState): StoreCheck[] {
  const { synchronousCommit, namesStandby, unlogged, missingRights, isolation } = state
  const unsafe = (finding: string, remedy: string) => fail('persistence', finding, remedy)
  return applicable(
    state.isStandby && fail('writes', 'this server is a standby, which accepts no writes', REMEDY.standby),
    missingRights !== null &&
      fail('rights', `the user of the pool lacks rights on some tables: ${missingRights}`, REMEDY.rights),
    unlogged !== null && unsafe(`a crash empties unlogged tables: ${unlogged}`, REMEDY.unlogged),
    synchronousCommit === 'off' &&
      unsafe('synchronous_commit is off, so commits do not wait for the disk', REMEDY.commit),
    synchronousCommit === 'local' &&
      namesStandby &&
      unsafe('synchronous_commit is local, so commits do not wait for the standby', REMEDY.commit),
    isolation !== 'read committed' &&
      unsafe(`the isolation level is ${isolation}, at which members of lists may be lost`, REMEDY.isolation),
  )
}

function otherProblems(
  state: DatabaseState,
  own: OwnState,
  { sweep, connections }: Readonly<Record<'sweep' | 'connections', string>>,
): StoreCheck[] {
  const { namesStandby, hiddenStandbys, confirmingStandbys, lagSeconds, version } = state
  return applicable(
    own.wasDiskFull &&
      fail('writes', 'PostgreSQL rejected writes within the last minute: its disk was full', REMEDY.diskFull),
    !state.isCrashSafe &&
      warn('persistence', 'fsync or full_page_writes is off: a machine that fails loses data', REMEDY.crash),
    hiddenStandbys > 0 && unknown('replicas', 'the state of the standbys is hidden', REMEDY.hidden),
    namesStandby &&
      confirmingStandbys === 0 &&
      fail('replicas', 'no named standby is connected, so no write is confirmed', REMEDY.noStandby),
    lagSeconds > MAX_LAG_SECONDS &&
      warn('replicas', `a standby is ${Math.round(lagSeconds)} s behind`, REMEDY.lag),
    state.sweptSecondsAgo > MAX_SWEEP_AGE_SECONDS && warn('sweep', sweep, REMEDY.sweep),
    state.connections >= FULL_SHARE * state.maxConnections &&
      warn('connections', connections, REMEDY.connections),
    own.isListening &&
      !own.areDelivered &&
      warn('messages', 'PostgreSQL delivers no messages: this process polls every second', REMEDY.messages),
    version < OLDEST_VERSION &&
      warn('version', `PostgreSQL ${version} is older than the tested versions`, REMEDY.version),
  )
}
