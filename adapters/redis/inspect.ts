import { GatehouseError } from '../../src/errors.ts'
import { withTimeout } from '../../src/async/with-timeout.ts'
import type { StoreCheck, StoreInspection } from '../../src/store/contract.ts'
import type { RedisClient, RedisServerClient } from './client.ts'
import { addressOf } from './connect.ts'
import { isLimited, usedShare } from './inspect/memory-checks.ts'
import { askServer, type ServerAnswers } from './inspect/server-answers.ts'
import { checkServer } from './inspect/server-checks.ts'

/** Milliseconds that one server of a cluster is waited for, so that one that is stuck hides none of the others. */
const PATIENCE = 500

const WORST_FIRST: readonly StoreCheck['status'][] = ['fail', 'warn', 'unknown', 'pass']

/**
 * What Redis says about itself: whether it takes writes, evicts, keeps what it is told, has its replicas, and its
 * clock. Of a cluster every master is asked, and the worst counts. Takes INFO, TIME, CONFIG GET and CLUSTER INFO; what
 * is rejected of them is unknown.
 *
 * @param options.replicas how many replicas confirm what must not be lost; undefined if none is asked to
 * @throws what the client throws where no server answers
 */
export async function inspectRedis(
  client: Pick<RedisClient, 'call' | 'isCluster' | 'nodes'>,
  { replicas }: { readonly replicas?: number | undefined } = {},
): Promise<StoreInspection> {
  if (!client.isCluster) {
    const answers = await askServer(client)
    return {
      time: answers.time,
      usedShare: fullest([answers]),
      checks: checkServer(answers, replicas),
    }
  }
  const masters = await mastersOf(client)
  const outcomes = await Promise.allSettled(masters.map(askMaster))
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const silent = masters.flatMap((master, index) =>
    outcomes[index]?.status === 'rejected' ? [addressOf(master)] : [],
  )
  if (answers.length === 0) throw away(outcomes.find((outcome) => outcome.status === 'rejected')?.reason)
  return {
    time: furthest(answers.flatMap(({ time }) => time ?? [])),
    usedShare: fullest(answers),
    checks: worstOfEach([
      ...answers.map((each) => ({ address: each.address ?? '', checks: checkServer(each, replicas) })),
      ...silent.map((address) => ({ address, checks: [SILENT] })),
    ]),
  }
}

const SILENT: StoreCheck = {
  name: 'cluster',
  status: 'fail',
  message: 'this master does not answer',
  remedy:
    'Bring it back, or promote its replica; `redis-cli --cluster check <host:port>` says how the cluster sees it',
}

/** Those that the client knows; one that has not connected yet knows none. */
async function mastersOf(client: Pick<RedisClient, 'call' | 'nodes'>): Promise<readonly RedisServerClient[]> {
  const known = () => client.nodes?.('master') ?? []
  if (known().length === 0) await client.call('PING')
  return known()
}

function askMaster(master: RedisServerClient): Promise<ServerAnswers> {
  return withTimeout(PATIENCE, () => askServer(master, { address: addressOf(master), isCluster: true }), {
    error: () => new Error(`no answer within ${PATIENCE} ms`),
  })
}

/** The clock that is furthest from the one of this process. */
function furthest(times: readonly number[]): number | undefined {
  const off = (time: number) => Math.abs(time - Date.now())
  return times.toSorted((one, other) => off(other) - off(one))[0]
}

/** The used share of the memory of the server that is fullest; undefined where none tells of a limit. */
function fullest(answers: readonly ServerAnswers[]): number | undefined {
  const shares = answers.flatMap(({ info }) => (info && isLimited(info) ? [usedShare(info)] : []))
  return shares.length === 0 ? undefined : Math.max(...shares)
}

/** Of each name the worst check, with the servers that it is about. */
function worstOfEach(servers: readonly { address: string; checks: readonly StoreCheck[] }[]): StoreCheck[] {
  const names = new Set(servers.flatMap(({ checks }) => checks.map(({ name }) => name)))
  return [...names].flatMap((name) => {
    const found = servers
      .flatMap(({ address, checks }) =>
        checks.filter((check) => check.name === name).map((check) => ({ address, check })),
      )
      .toSorted((one, other) => rank(one.check) - rank(other.check))
    const [worst] = found
    if (worst === undefined) return []
    const alike = found.filter(({ check }) => check.status === worst.check.status)
    const { message, ...rest } = worst.check
    return [{ ...rest, message: `${whereOf(alike.length, found.length, worst.address)}${message}` }]
  })
}

function rank({ status }: StoreCheck): number {
  return WORST_FIRST.indexOf(status)
}

function whereOf(alike: number, all: number, address: string): string {
  if (alike === 1) return `${address}: `
  return alike === all ? `${address} and ${all - 1} more: ` : `${address} and ${alike - 1} more of ${all}: `
}

function away(cause: unknown): GatehouseError {
  return new GatehouseError('ERR_STORE_UNAVAILABLE', 'no master of the Redis Cluster answers', { cause })
}
