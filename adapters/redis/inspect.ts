import { storeUnavailable } from '../../src/errors.ts'
import { withTimeout } from '../../src/async/with-timeout.ts'
import type { StoreCheck, StoreInspection } from '../../src/store/contract.ts'
import { fail } from '../../src/store/check-results.ts'
import type { RedisClient, RedisServerClient } from './client.ts'
import { addressOf } from './connect.ts'
import { isLimited, usedShare } from './inspect/memory-checks.ts'
import { askServer, type ServerAnswers } from './inspect/server-answers.ts'
import { checkServer } from './inspect/server-checks.ts'

/** One blocked server must not hide the state of the other servers. */
const SERVER_TIMEOUT_MS = 500

const WORST_FIRST: readonly StoreCheck['status'][] = ['fail', 'warn', 'unknown', 'pass']

/**
 * Reads the state of Redis: its clock, and whether it accepts writes, evicts keys, persists data and has enough
 * replicas. In a cluster, the worst result of each check counts. If Redis rejects a command, the status is `unknown`.
 */
export async function inspectRedis(
  client: Pick<RedisClient, 'call' | 'isCluster' | 'nodes'>,
  { replicas }: { readonly replicas?: number | undefined } = {},
): Promise<StoreInspection> {
  if (!client.isCluster) {
    const answers = await askServer(client)
    return {
      time: answers.time,
      usedShare: fullestShare([answers]),
      checks: checkServer(answers, replicas),
    }
  }
  const masters = await mastersOf(client)
  const outcomes = await Promise.allSettled(masters.map(askMaster))
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const unanswered = masters.flatMap((master, index) =>
    outcomes[index]?.status === 'rejected' ? [addressOf(master)] : [],
  )
  if (answers.length === 0) {
    const cause: unknown = outcomes.find((outcome) => outcome.status === 'rejected')?.reason
    throw storeUnavailable('no master of the Redis Cluster answers', cause)
  }
  return {
    time: furthestFromNow(answers.flatMap(({ time }) => time ?? [])),
    usedShare: fullestShare(answers),
    checks: worstOfEach([
      ...answers.map((each) => ({ address: each.address ?? '', checks: checkServer(each, replicas) })),
      ...unanswered.map((address) => ({ address, checks: [NO_ANSWER] })),
    ]),
  }
}

const NO_ANSWER = fail(
  'cluster',
  'this master does not answer',
  'Restore it, or promote its replica; `redis-cli --cluster check <host:port>` shows the state of the cluster',
)

/** A client that is not connected yet knows no masters, so PING connects it first. */
async function mastersOf(client: Pick<RedisClient, 'call' | 'nodes'>): Promise<readonly RedisServerClient[]> {
  const known = () => client.nodes?.('master') ?? []
  if (known().length === 0) await client.call('PING')
  return known()
}

function askMaster(master: RedisServerClient): Promise<ServerAnswers> {
  const ask = () => askServer(master, { address: addressOf(master), isCluster: true })
  const late = { error: () => new Error(`no answer within ${SERVER_TIMEOUT_MS} ms`) }
  return withTimeout(SERVER_TIMEOUT_MS, ask, late)
}

function furthestFromNow(times: readonly number[]): number | undefined {
  const difference = (time: number) => Math.abs(time - Date.now())
  return times.toSorted((one, other) => difference(other) - difference(one))[0]
}

function fullestShare(answers: readonly ServerAnswers[]): number | undefined {
  const shares = answers.flatMap(({ info }) => (info && isLimited(info) ? [usedShare(info)] : []))
  return shares.length === 0 ? undefined : Math.max(...shares)
}

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
    return [{ ...rest, message: `${describeServers(alike.length, found.length, worst.address)}${message}` }]
  })
}

function rank({ status }: StoreCheck): number {
  return WORST_FIRST.indexOf(status)
}

function describeServers(alike: number, all: number, address: string): string {
  if (alike === 1) return `${address}: `
  return alike === all ? `${address} and ${all - 1} more: ` : `${address} and ${alike - 1} more of ${all}: `
}
