/** A test host as a program. `host-process.ts` compiles, starts and stops it. */
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import type { Account, GatehouseEvents, Store } from 'koa-gatehouse'
import { postgresStore } from 'koa-gatehouse/adapters/postgres'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { deployStore } from './deployments.ts'
import { startHost } from './host.ts'
import type { HostProcessOptions } from './host-process.ts'

const { redisUrl, databaseUrl, deployment, keyPrefix, issuer, audience, ...others } = JSON.parse(
  process.argv[2] ?? '',
) as HostProcessOptions
const { resources, guarded, secret, refreshTokenGraceSeconds, storeTimeoutMs, accountsFile } = others
const { renamedKeys = 0, areRenamesEqual = false, clockOffsetMs = 0 } = others

if (clockOffsetMs !== 0) globalThis.Date = shiftedDate(clockOffsetMs)

process.stdin.on('end', () => process.exit()).resume()

const host = await startHost({
  store: deployment ? deployStore(deployment, keyPrefix).store : storeAt(),
  ...(guarded !== undefined && {
    mount(app, gatehouse) {
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.for(guarded).middleware())
    },
  }),
  gatehouse: {
    ...(resources !== undefined && { resources }),
    ...(issuer !== undefined && { issuer }),
    ...(audience !== undefined && { audience }),
    ...(secret !== undefined && { secret }),
    ...(refreshTokenGraceSeconds !== undefined && { refreshTokenGraceSeconds }),
    ...(storeTimeoutMs !== undefined && { storeTimeoutMs }),
    ...(accountsFile !== undefined && { accounts: { find: findInFile(accountsFile) } }),
  },
})
const reported: (keyof GatehouseEvents)[] = [
  'token.issued',
  'refresh_token.reused',
  'refresh_token.retried',
  'code.reused',
  'client.expired',
  'client.expiring',
  'error',
]
for (const name of reported) host.gatehouse.on(name, () => console.log(`event ${name}`))
try {
  await host.gatehouse.ready()
} catch (error) {
  console.error((error as { code?: string }).code, error)
  process.exit(1)
}
process.once('SIGTERM', () => {
  void host.gatehouse.shutdown(host.server, { graceMs: 500 }).then(() => process.exit(0))
})
console.log(`ready ${host.port}`)
await Promise.all(Array.from({ length: renamedKeys }, renameForEver))

/** Creates an API key, and renames it until this process ends. */
async function renameForEver(): Promise<void> {
  const { apiKeys } = host.gatehouse
  const { clientId } = (await apiKeys.create({ accountId: 'acme', name: '0' })).apiKey
  for (let number = 1; ; number += 1) {
    const actor = `${clientId}/${number}`
    await apiKeys.update(clientId, { name: String(number) }, areRenamesEqual ? {} : { actor })
    console.log(`renamed ${actor}`)
  }
}

/** A `Date` whose current time is `offsetMs` milliseconds ahead. */
function shiftedDate(offsetMs: number): DateConstructor {
  const realNow = Date.now
  const now = () => realNow() + offsetMs
  return new Proxy(Date, {
    construct: (RealDate, args: []) =>
      Reflect.construct(RealDate, args.length === 0 ? [now()] : args) as Date,
    get: (RealDate, name) => (name === 'now' ? now : (Reflect.get(RealDate, name) as unknown)),
  })
}

function findInFile(file: string) {
  return (accountId: string, userId?: string): Account | undefined =>
    (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Account>)[
      userId === undefined ? accountId : `${accountId}/${userId}`
    ]
}

function storeAt(): Store {
  if (databaseUrl !== undefined) {
    const pool = new Pool({ connectionString: databaseUrl, connectionTimeoutMillis: 1000 })
    return postgresStore({ pool })
  }
  const client = new Redis(redisUrl ?? '')
  client.on('error', () => {})
  return redisStore(client, { keyPrefix })
}
