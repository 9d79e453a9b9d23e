/** One process of `wrong-secrets.ts`: a host behind a proxy. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../../adapters/redis.ts'
import { products } from '../../bench/host.ts'
import type { Question, Report } from '../../bench/processes.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
}

/** What a process can be asked for: a new API key. */
export type Ask = 'key'

/** An API key, as parameters of a token request. */
export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

const { port, servicePort, redisUrl } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
const origin = `http://127.0.0.1:${servicePort}`
const gatehouse = createGatehouse({
  issuer: `${origin}/auth`,
  audience: `${origin}/api`,
  secret: 'a secret for measurements, long enough to be one',
  store: redisStore(new Redis(redisUrl)),
  products,
  accounts: { find: (id) => ({ id }) },
})
const app = new Koa({ proxy: true })
app.use(gatehouse.middleware())
const server = createServer(app.callback()).listen(port, '127.0.0.1')
await once(server, 'listening')
await gatehouse.ready({ timeoutMs: 20_000 })

process.on('message', ({ number }: Question<Ask>) => {
  void createKey().then((value) => process.send?.({ number, value } satisfies Report))
})
process.once('disconnect', () => process.exit())
process.send?.({ ready: true } satisfies Report)

async function createKey(): Promise<Credentials> {
  const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
    accountId: 'acme',
    name: 'Key',
    products: ['invoices'],
  })
  return { client_id: apiKey.clientId, client_secret: clientSecret }
}
