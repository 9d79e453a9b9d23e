import type { StoreCheck } from '../../../src/store/contract.ts'
import { fail, pass, unknown, warn } from '../../../src/store/check-results.ts'
import { SLOTS } from '../slot.ts'
import { checkEviction, checkMemory, MORE_MEMORY, usedShare } from './memory-checks.ts'
import type { Fields, ServerAnswers } from './server-answers.ts'

const MAX_REPLICA_LAG_SECONDS = 10
const OLDEST_VERSION = 6

const PERMIT =
  'Permit these commands to the user of the client: ACL SETUSER <user> +info +time +config|get +cluster|info'

/** Checks one server: writes, persistence, replicas, version, cluster. */
export function checkServer(answers: ServerAnswers, replicas: number | undefined): StoreCheck[] {
  const { info, settings, cluster, time } = answers
  const checks = info
    ? [
        checkWrites(info, settings),
        checkEviction(info),
        checkMemory(info),
        checkPersistence(info, settings),
        checkReplicas(info, replicas),
        checkVersion(info),
      ]
    : ['writes', 'eviction', 'persistence', 'replicas'].map((name) =>
        unknown(name, 'Redis does not permit INFO, so this cannot be checked', PERMIT),
      )
  const isMisplaced = info?.get('cluster_enabled') === '1' && cluster === undefined
  return [
    ...checks.flatMap((check) => check ?? []),
    ...(cluster ? [checkCluster(cluster)] : []),
    ...(isMisplaced ? [NOT_FOR_CLUSTERS] : []),
    ...(time === undefined ? [unknown('clock', 'Redis does not permit TIME', PERMIT)] : []),
  ]
}

const NOT_FOR_CLUSTERS = fail(
  'cluster',
  'this is a server of a cluster, but the client is for a single server',
  'Give redisStore a client of the whole cluster: new Redis.Cluster([…])',
)

function checkWrites(info: Fields, settings: Fields): StoreCheck {
  const name = 'writes'
  if (info.get('role') === 'slave') {
    return fail(
      name,
      'the client is connected to a replica, which accepts no writes',
      'Connect the client to the master. With Sentinel, use the name of the master, so that the client follows a failover',
    )
  }
  if (info.get('loading') === '1') {
    return fail(name, 'Redis is still loading its data', 'Wait; large data takes minutes')
  }
  if (info.get('aof_enabled') === '1' && info.get('aof_last_write_status') === 'err') {
    return fail(
      name,
      'Redis cannot write its append-only file, and rejects writes',
      'Check the free space and the permissions of its data folder, and its log',
    )
  }
  if (info.get('rdb_last_bgsave_status') === 'err' && settings.get('save') !== '') {
    const remedy =
      'Check the free space and the permissions of its data folder, its memory for the fork, and its log'
    return settings.get('stop-writes-on-bgsave-error') === 'yes'
      ? fail(name, 'the last snapshot failed, and until one succeeds Redis rejects writes', remedy)
      : warn(name, 'the last snapshot failed; Redis may reject writes until one succeeds', remedy)
  }
  return usedShare(info) >= 1 && info.get('maxmemory_policy') === 'noeviction'
    ? fail(name, 'the memory is full, and Redis rejects writes', MORE_MEMORY)
    : pass(name, 'Redis accepts writes')
}

function checkReplicas(info: Fields, wanted: number | undefined): StoreCheck | undefined {
  if (info.get('role') === 'slave') return undefined
  const name = 'replicas'
  const count = info.get('connected_slaves')
  if (count === undefined) {
    return unknown(name, 'Redis does not report its replicas', 'Ask your provider')
  }
  const online = [...info].flatMap(([field, text]) =>
    /^slave\d+$/.test(field) && text.includes('state=online')
      ? [Number(/lag=(\d+)/.exec(text)?.[1] ?? 0)]
      : [],
  )
  const prompt = online.filter((lag) => lag <= MAX_REPLICA_LAG_SECONDS).length
  const found = `${online.length} ${online.length === 1 ? 'replica is' : 'replicas are'} connected`
  if (wanted === undefined) {
    return online.length === 0
      ? pass(
          name,
          'no replica is connected, and `durability` requires none: data that the server loses is lost',
        )
      : pass(name, `${found}; \`durability\` does not wait for any`)
  }
  if (prompt < wanted) {
    return fail(
      name,
      `${found}, ${prompt} of them ${prompt === 1 ? 'keeps' : 'keep'} up, and \`durability\` waits ` +
        `for ${wanted}: durable writes are rejected with 503`,
      'Start the missing replicas and check their logs, or lower `durability.replicas`',
    )
  }
  return pass(
    name,
    prompt === wanted
      ? `${found}, and \`durability\` waits for ${wanted}: with one replica less, durable writes are rejected`
      : `${found}, and \`durability\` waits for ${wanted}`,
  )
}

function checkVersion(info: Fields): StoreCheck {
  const version = info.get('redis_version')
  const major = Number.parseInt(version ?? '', 10)
  if (version === undefined || Number.isNaN(major)) {
    return unknown(
      'version',
      'Redis does not report its version',
      `Use a server that is compatible with Redis ${OLDEST_VERSION}.0`,
    )
  }
  return major >= OLDEST_VERSION
    ? pass('version', `the server is compatible with Redis ${version}`)
    : warn(
        'version',
        `Redis ${version} is older than the tested versions`,
        `Use Redis ${OLDEST_VERSION} or later`,
      )
}

function checkCluster(cluster: Fields): StoreCheck {
  const served = Number(cluster.get('cluster_slots_ok') ?? 0)
  const missing = SLOTS - served
  if (cluster.get('cluster_state') === 'ok' && missing === 0) {
    return pass('cluster', `the cluster is up, and all ${SLOTS} slots are served`)
  }
  return fail(
    'cluster',
    missing > 0
      ? `${missing} of ${SLOTS} slots are not served: their data can neither be read nor written`
      : 'this server reports that the cluster is down',
    'Restore the missing servers, or promote their replicas; `redis-cli --cluster ' +
      'check <host:port>` names them',
  )
}

function checkPersistence(info: Fields, settings: Fields): StoreCheck {
  const name = 'persistence'
  const appendOnly = info.get('aof_enabled')
  const [save, fsync] = [settings.get('save'), settings.get('appendfsync')]
  if (appendOnly === '1') {
    if (fsync === 'no') {
      return warn(
        name,
        'the operating system decides when the append-only file is synced to disk, often after half a minute: if the ' +
          'machine fails, the last writes are lost',
        'CONFIG SET appendfsync everysec, and the same in redis.conf',
      )
    }
    return pass(
      name,
      fsync === undefined
        ? 'an append-only file is written; how often it is synced to disk cannot be read ' +
            '(appendfsync should be everysec or always)'
        : `an append-only file is written (appendfsync ${fsync})`,
    )
  }
  const hasSaved = Number(info.get('rdb_saves') ?? 0) > 0
  if (save === undefined ? hasSaved : save !== '') {
    return warn(
      name,
      'only snapshots are written: after a crash the last minutes are lost, so used refresh tokens are valid ' +
        'again, newer refresh tokens are invalid, and revocations are lost',
      APPEND_ONLY,
    )
  }
  if (appendOnly === undefined || save === undefined) {
    return unknown(
      name,
      'Redis does not report whether it persists its data',
      `Permit CONFIG GET save, or ask your provider. ${APPEND_ONLY}`,
    )
  }
  return fail(
    name,
    'the data is not persisted: a restart loses the signing keys, all API keys, applications and grants',
    APPEND_ONLY,
  )
}

const APPEND_ONLY = 'Enable the append-only file: CONFIG SET appendonly yes, and the same in redis.conf'
