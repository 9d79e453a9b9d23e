/** A test host as a program; see `host-process.ts`, which compiles, starts and ends it. */
import { Redis } from 'ioredis'
import type { GatehouseEvents } from 'koa-gatehouse'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { startHost } from './host.ts'
import type { HostProcessOptions } from './host-process.ts'

const { redisUrl, keyPrefix, issuer, audience, secret, refreshRetrySeconds } = JSON.parse(
  process.argv[2] ?? '',
) as HostProcessOptions

process.stdin.on('end', () => process.exit()).resume()

const client = new Redis(redisUrl)
client.on('error', () => {})
const host = await startHost({
  store: redisStore(client, { keyPrefix }),
  gatehouse: {
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(secret !== undefined && { secret }),
    ...(refreshRetrySeconds !== undefined && { refreshRetrySeconds }),
  },
})
const reported: (keyof GatehouseEvents)[] = [
  'token.issued',
  'refresh_token.reused',
  'refresh_token.retried',
  'code.reused',
  'error',
]
for (const name of reported) host.gatehouse.on(name, () => console.log(`event ${name}`))
try {
  await host.gatehouse.ready()
} catch (error) {
  console.error((error as { code?: string }).code, error)
  process.exit(1)
}
console.log(`ready ${host.port}`)
