/** One process of `limits.ts`: a host that limits calls. */
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { startHost } from '../../bench/host.ts'
import type { Question, Report } from '../../bench/processes.ts'
import { createLimits } from '../../src/limits.ts'
import { PER_MINUTE } from './limits.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
}

/** What a process can be asked for: tokens of new clients. */
export type Ask = 'tokens'

const { port, servicePort, redisUrl } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const store = redisStore(new Redis(redisUrl))
const { gatehouse, issuer } = await startHost({ store, port, servicePort })
createLimits(gatehouse, { perMinute: PER_MINUTE })

process.on('message', ({ number, about }: Question<Ask>) => {
  void createTokens(about as number).then((value) => process.send?.({ number, value } satisfies Report))
})
process.once('disconnect', () => process.exit())
process.send?.({ ready: true } satisfies Report)

async function createTokens(count: number): Promise<string[]> {
  const tokens: string[] = []
  for (let at = 0; at < count; at += 1) {
    const key = { accountId: 'acme', name: 'Key', products: ['invoices', 'payments'] }
    const { apiKey, clientSecret } = await gatehouse.apiKeys.create(key)
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: apiKey.clientId,
      client_secret: clientSecret,
    })
    const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
    tokens.push(((await response.json()) as { access_token: string }).access_token)
  }
  return tokens
}
