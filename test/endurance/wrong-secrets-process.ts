/** One process of `wrong-secrets.ts`: a host behind a proxy. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import Koa from 'koa'
import { redisStore } from '../../adapters/redis.ts'
import { products } from '../../bench/host.ts'
import { createGatehouse } from '../../src/gatehouse/create-gatehouse.ts'
import { answerQuestions, createKey } from './key-process.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  readonly servicePort: number
  readonly redisUrl: string
}

/** What a process can be asked for: a new API key. */
export type Ask = 'key'

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

answerQuestions({ key: () => createKey(gatehouse) })
