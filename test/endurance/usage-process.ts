/** One process of `usage.ts`: a host that counts usage. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { startHost } from '../../bench/host.ts'
import { createUsage } from '../../src/usage.ts'
import { answerQuestions, createTokens } from './key-process.ts'
import { INTERVAL_SECONDS } from './usage.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
}

/** What a process can be asked for: tokens of new clients, or the calls of each client that were stored. */
export type Ask = 'tokens' | 'usage'

const { port, servicePort, redisUrl } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const store = redisStore(new Redis(redisUrl))
const host = await startHost({ store, port, servicePort })
const usage = createUsage(host.gatehouse, { intervalSeconds: INTERVAL_SECONDS })
answerQuestions({ tokens: (count: number) => createTokens(host, count), usage: usageOf })

/** The stored API calls of clients, by client id, and of all clients. */
async function usageOf(clientIds: readonly string[]): Promise<{ of: Record<string, number>; all: number }> {
  await usage.flush()
  const count = async (clientId?: string) =>
    (await usage.list({ clientId, by: ['outcome'] }))
      .filter(({ outcome }) => outcome === 'ok')
      .reduce((sum, row) => sum + row.count, 0)
  const of: Record<string, number> = {}
  for (const clientId of clientIds) of[clientId] = await count(clientId)
  return { of, all: await count() }
}
