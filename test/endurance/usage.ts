/**
 * Sends 1,000,000 calls of 1000 clients through two processes, and kills one of them on the way. It fails if the stored
 * usage is more than what was sent, or less by more than the calls that the killed process answered in its last interval.
 * `--calls N` sets another number of calls.
 */
import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { startProcess } from '../../bench/processes.ts'
import { freePort } from '../support/free-port.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Ask, ProcessOptions } from './usage-process.ts'

/** Seconds between two writes of a process. */
export const INTERVAL_SECONDS = 5
const CLIENTS = 1000
const CONNECTIONS = 64

if (process.argv[1]?.endsWith('usage.js')) await run()

async function run(): Promise<void> {
  const { values: options } = parseArgs({ options: { calls: { type: 'string', default: '1000000' } } })
  const calls = Number(options.calls)
  const redis = await startRedis()
  const ports = [await freePort(), await freePort()] as const
  const [first, second] = await Promise.all(
    ports.map((port) =>
      startProcess<Ask>(new URL('usage-process.ts', import.meta.url), {
        port,
        servicePort: ports[0],
        redisUrl: redis.url,
      } as ProcessOptions),
    ),
  )
  if (!first || !second) throw new Error('no processes')
  const tokens = await first.ask<{ clientId: string; token: string }[]>('tokens', 600_000, CLIENTS)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' })
  const answered = { all: 0, second: [] as number[] }
  const answeredOf = new Map<string, number>()
  let isKilled = false
  let sent = 0

  async function send(): Promise<void> {
    while (sent < calls) {
      sent += 1
      const { clientId, token } = tokens[sent % tokens.length] ?? { clientId: '', token: '' }
      const port = isKilled || sent % 2 === 0 ? ports[0] : ports[1]
      if (!(await call(port, token))) continue
      answered.all += 1
      answeredOf.set(clientId, (answeredOf.get(clientId) ?? 0) + 1)
      if (port === ports[1]) answered.second.push(performance.now())
      if (!isKilled && answered.all > calls / 2) {
        isKilled = true
        await second?.kill()
      }
    }
  }
  const call = (port: number, token: string) =>
    new Promise<boolean>((resolve) => {
      const headers = { authorization: `Bearer ${token}` }
      const outgoing = request(
        { port, host: '127.0.0.1', path: '/api/payments', headers, agent },
        (response) => {
          response
            .resume()
            .on('end', () => resolve(response.statusCode === 200))
            .on('error', () => resolve(false))
        },
      )
      outgoing.on('error', () => resolve(false)).end()
    })

  const started = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, send))
  const seconds = Math.round((performance.now() - started) / 1000)
  // Pauses between two writes are at most an interval. A write of 1000 clients takes less than a second.
  const killedAt = answered.second.at(-1) ?? 0
  const atRisk = answered.second.filter((at) => at > killedAt - (INTERVAL_SECONDS + 1) * 1000).length
  const { all, of } = await first.ask<{ all: number; of: Record<string, number> }>(
    'usage',
    120_000,
    tokens.map(({ clientId }) => clientId),
  )
  const ofClients = Object.values(of).reduce((sum, count) => sum + count, 0)
  const client = new Redis(redis.url)
  const bytes = await usageBytes(client)
  client.disconnect()
  console.table({
    [`${calls} calls of ${CLIENTS} clients`]: {
      seconds,
      'answered with 200': answered.all,
      'stored, all': all,
      'stored, clients': ofClients,
      lost: answered.all - all,
      'at most': atRisk,
      'bytes a client and day': Math.round(bytes / CLIENTS),
    },
  })
  const failures: string[] = []
  for (const [name, stored] of Object.entries({ all, ofClients })) {
    // A call may be counted although its answer was lost with the process.
    if (stored > answered.all + CONNECTIONS)
      failures.push(`${name}: ${stored} calls were stored, more than were answered`)
    if (stored < answered.all - atRisk) failures.push(`${name}: ${answered.all - stored} calls were lost`)
  }
  for (const failure of failures) console.error(failure)
  await first.terminate()
  await redis.stop()
  process.exit(failures.length === 0 ? 0 : 1)
}

/** The bytes of all records and indexes of usage. */
async function usageBytes(client: Redis): Promise<number> {
  let bytes = 0
  for await (const page of client.scanStream({ match: '*usage*', count: 1000 })) {
    for (const key of page as string[]) {
      if (key.includes('client-usage') || key.includes('secret-usage')) continue
      bytes += Number(await client.memory('USAGE', key))
    }
  }
  return bytes
}
