/** One process of `usage.ts`: a host that counts usage. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { startHost } from '../../bench/host.ts'
import type { Question, Report } from '../../bench/processes.ts'
import { createUsage } from '../../src/usage.ts'
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
const { gatehouse, issuer } = await startHost({ store, port, servicePort })
const usage = createUsage(gatehouse, { intervalSeconds: INTERVAL_SECONDS })

process.on('message', ({ number, ask, about }: Question<Ask>) => {
  const answer = ask === 'tokens' ? createTokens(about as number) : usageOf(about as readonly string[])
  void answer.then((value) => process.send?.({ number, value } satisfies Report))
})
process.once('disconnect', () => process.exit())
process.send?.({ ready: true } satisfies Report)

async function createTokens(count: number): Promise<{ clientId: string; token: string }[]> {
  const tokens: { clientId: string; token: string }[] = []
  for (let at = 0; at < count; at += 1) {
    const key = { accountId: `account-${at % 50}`, name: 'Key', products: ['invoices', 'payments'] }
    const { apiKey, clientSecret } = await gatehouse.apiKeys.create(key)
    const { clientId } = apiKey
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    })
    const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
    const { access_token: token } = (await response.json()) as { access_token: string }
    tokens.push({ clientId, token })
  }
  return tokens
}

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
