/**
 * One person in a loop, and a Redis with `maxmemory 24mb` that does not evict. Four ways, each with its own host and Redis, all at
 * the same time: the person signs in again and again (`sessions`), approves ever new client metadata documents (`documents`),
 * approves one application over and over (`grants`), or makes codes and refresh tokens and revokes the own tokens (`tokens`).
 * Name a way to run only this one. `--seconds N` sets the time, and `--memory 3mb` another `maxmemory`.
 *
 * Every two seconds, another person signs in, consents, and calls the API; this person's token is revoked, and the gateway
 * rejects it; an API key is created; and an operator disables and enables a key. The test fails if one of these fails.
 */
import { parseArgs } from 'node:util'
import { startProcess } from '../../bench/processes.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Ask, ProcessOptions, Result } from './one-person-process.ts'

const WAYS = ['sessions', 'documents', 'grants', 'tokens'] as const
export type Way = (typeof WAYS)[number]

const { values: options, positionals } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, memory: { type: 'string', default: '24mb' } },
  allowPositionals: true,
})
const seconds = Number(options.seconds)
const ways = WAYS.filter((way) => positionals.length === 0 || positionals.includes(way))
if (ways.length === 0) throw new Error(`the ways are ${WAYS.join(', ')}`)
const results = await Promise.all(ways.map(run))
for (const [at, way] of ways.entries()) {
  const { redis, keys, person, others, log } = results[at] as Result
  console.log(`\n${way}: ${redis}; the person got ${JSON.stringify(person)}`)
  console.table(others)
  console.table(keys)
  if (Object.keys(log).length > 0) console.log('log:', log)
}
const failures = ways.flatMap((way, at) => results[at]?.failures.map((failure) => `${way}: ${failure}`) ?? [])
console.log(`${seconds} s each, ${failures.length} failures`)
for (const failure of failures) console.error(failure)
process.exit(failures.length === 0 ? 0 : 1)

async function run(way: Way): Promise<Result> {
  const redis = await startRedis({ args: ['--maxmemory', options.memory] })
  const script = new URL('one-person-process.ts', import.meta.url)
  const about: ProcessOptions = { port: 0, way, redisUrl: redis.url, seconds }
  const running = await startProcess<Ask>(script, about)
  const result = await running.ask<Result>('run', (seconds + 120) * 1000)
  await running.kill()
  await redis.stop()
  return result
}
