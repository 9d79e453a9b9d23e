import type { StoreCheck } from '../../../src/store/contract.ts'
import { applicable, fail, pass, unknown, warn } from '../../../src/store/check-results.ts'
import { SLOTS } from '../slot.ts'
import { checkEviction, checkMemory, MORE_MEMORY, usedShare } from './memory-checks.ts'
import type { Fields, ServerAnswers } from './server-answers.ts'

const MAX_REPLICA_LAG_SECONDS = 10
const OLDEST_VERSION = 6

const APPEND_ONLY = 'Enable the append-only file: CONFIG SET appendonly yes, and the same in redis.conf'

const REMEDY = {
  rights:
    'Permit these commands to the user of the client: ACL SETUSER <user> +info +time +config|get +cluster|info',
  master:
    'Connect the client to the master. With Sentinel, use the name of the master, so that the client follows a failover',
  loading: 'Wait; large data takes minutes',
  disk: 'Check the log of Redis, the space and the rights of its data folder, and its memory for the fork',
  provider: 'Ask your provider',
  replicas: 'Start the missing replicas and check their logs, or lower `durability.replicas`',
  version: `Use a server that is compatible with Redis ${OLDEST_VERSION}.0 or later`,
  client: 'Give redisStore a client of the whole cluster: new Redis.Cluster([…])',
  slots: 'Restore the servers that `redis-cli --cluster check <host:port>` names, or promote their replicas',
  fsync: 'CONFIG SET appendfsync everysec, and the same in redis.conf',
  persistence: `Permit CONFIG GET save, or ask your provider. ${APPEND_ONLY}`,
} as const

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
        unknown(name, 'Redis does not permit INFO, so this cannot be checked', REMEDY.rights),
      )
  const isMisplaced = info?.get('cluster_enabled') === '1' && cluster === undefined
  return applicable(
    ...checks,
    cluster && checkCluster(cluster),
    isMisplaced && fail('cluster', NOT_FOR_CLUSTERS, REMEDY.client),
    time === undefined && unknown('clock', 'Redis does not permit TIME', REMEDY.rights),
  )
}

const NOT_FOR_CLUSTERS = 'this is a server of a cluster, but the client is for a single server'

function checkWrites(info: Fields, settings: Fields): StoreCheck {
  const name = 'writes'
  if (info.get('role') === 'slave') {
    return fail(name, 'the client is connected to a replica, which accepts no writes', REMEDY.master)
  }
  if (info.get('loading') === '1') return fail(name, 'Redis is still loading its data', REMEDY.loading)
  if (info.get('aof_enabled') === '1' && info.get('aof_last_write_status') === 'err') {
    return fail(name, 'Redis cannot write its append-only file, and rejects writes', REMEDY.disk)
  }
  if (info.get('rdb_last_bgsave_status') === 'err' && settings.get('save') !== '') {
    return settings.get('stop-writes-on-bgsave-error') === 'yes'
      ? fail(name, 'the last snapshot failed, and until one succeeds Redis rejects writes', REMEDY.disk)
      : warn(name, 'the last snapshot failed; Redis may reject writes until one succeeds', REMEDY.disk)
  }
  return usedShare(info) >= 1 && info.get('maxmemory_policy') === 'noeviction'
    ? fail(name, 'the memory is full, and Redis rejects writes', MORE_MEMORY)
    : pass(name, 'Redis accepts writes')
}

function checkReplicas(info: Fields, wanted: number | undefined): StoreCheck | undefined {
  if (info.get('role') === 'slave') return undefined
  const name = 'replicas'
  if (!info.has('connected_slaves')) {
    return unknown(name, 'Redis does not report its replicas', REMEDY.provider)
  }
  const online = [...info].filter(([field, text]) => /^slave\d+$/.test(field) && /state=online/.test(text))
  const lags = online.map(([, text]) => Number(/lag=(\d+)/.exec(text)?.[1] ?? 0))
  const prompt = lags.filter((lag) => lag <= MAX_REPLICA_LAG_SECONDS).length
  const connected = `${lags.length} ${lags.length === 1 ? 'replica is' : 'replicas are'} connected`
  if (wanted === undefined) {
    const lost = lags.length === 0 ? ': data that the server loses is lost' : ''
    return pass(name, `${connected}, and \`durability\` waits for none${lost}`)
  }
  const keepUp = `${prompt} of them ${prompt === 1 ? 'keeps' : 'keep'} up`
  const found = `${connected}, ${keepUp}, and \`durability\` waits for ${wanted}`
  if (prompt < wanted) return fail(name, `${found}: durable writes are rejected with 503`, REMEDY.replicas)
  const isTight = prompt === wanted
  return pass(name, `${found}${isTight ? ': with one replica less, durable writes are rejected' : ''}`)
}

function checkVersion(info: Fields): StoreCheck {
  const name = 'version'
  const version = info.get('redis_version') ?? ''
  const major = Number.parseInt(version, 10)
  if (Number.isNaN(major)) return unknown(name, 'Redis does not report its version', REMEDY.version)
  return major < OLDEST_VERSION
    ? warn(name, `Redis ${version} is older than the tested versions`, REMEDY.version)
    : pass(name, `the server is compatible with Redis ${version}`)
}

function checkCluster(cluster: Fields): StoreCheck {
  const missing = SLOTS - Number(cluster.get('cluster_slots_ok') ?? 0)
  if (missing > 0) {
    const finding = `${missing} of ${SLOTS} slots are not served: their data can neither be read nor written`
    return fail('cluster', finding, REMEDY.slots)
  }
  return cluster.get('cluster_state') === 'ok'
    ? pass('cluster', `the cluster is up, and all ${SLOTS} slots are served`)
    : fail('cluster', 'this server reports that the cluster is down', REMEDY.slots)
}

const UNSYNCED =
  'the operating system decides when the append-only file is synced to disk, often after half a minute: ' +
  'if the machine fails, the last writes are lost'
const SNAPSHOTS =
  'only snapshots are written: after a crash the last minutes are lost, so used refresh tokens are valid ' +
  'again, newer refresh tokens are invalid, and revocations are lost'
const NOT_PERSISTED =
  'the data is not persisted: a restart loses the signing keys, all API keys, applications and grants'

function checkPersistence(info: Fields, settings: Fields): StoreCheck {
  const name = 'persistence'
  const appendOnly = info.get('aof_enabled')
  const [save, fsync] = [settings.get('save'), settings.get('appendfsync')]
  if (appendOnly === '1') {
    if (fsync === 'no') return warn(name, UNSYNCED, REMEDY.fsync)
    const setting = fsync ?? 'cannot be read: it should be everysec or always'
    return pass(name, `an append-only file is written; appendfsync ${setting}`)
  }
  const hasSaved = Number(info.get('rdb_saves') ?? 0) > 0
  if (save === undefined ? hasSaved : save !== '') return warn(name, SNAPSHOTS, APPEND_ONLY)
  if (appendOnly === undefined || save === undefined) {
    return unknown(name, 'Redis does not report whether it persists its data', REMEDY.persistence)
  }
  return fail(name, NOT_PERSISTED, APPEND_ONLY)
}
