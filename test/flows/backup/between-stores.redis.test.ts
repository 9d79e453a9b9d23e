import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import { sqliteStore } from 'koa-gatehouse/adapters/sqlite'
import { deployStore } from '../../support/deployments.ts'
import { describeWithRedis } from '../../support/describe-with-redis.ts'
import { connect, startHost, type Host } from '../../support/host.ts'
import { importBeforeStart } from '../../support/import-before-start.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres-server.ts'
import { findProgram } from '../../support/required-programs.ts'
import { sqliteDrivers } from '../../support/sqlite.ts'
import { sqliteFiles } from '../../support/sqlite-files.ts'
import { exported, statusOf, tokenOf } from '../../parts/backup/setup.ts'

describeWithRedis('moving from one kind of store to another', () => {
  const files = sqliteFiles()
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  })

  const hasSqlite = sqliteDrivers().length > 0
  const hasPostgres = findProgram('postgres') !== undefined
  let server: PostgresServer
  let pool: Pool
  beforeAll(async () => {
    if (!hasPostgres) return
    server = await startPostgres()
    pool = new Pool({ connectionString: server.url })
  })
  afterAll(async () => {
    await pool?.end()
    await server?.stop()
  })
  const kinds: readonly { readonly name: string; readonly open: () => Store | Promise<Store> }[] = [
    { name: 'memory', open: memoryStore },
    ...(hasSqlite ? [{ name: 'SQLite', open: () => sqliteStore(files.open(files.newFile())) }] : []),
    ...(hasPostgres ? [{ name: 'PostgreSQL', open: openPostgres }] : []),
    {
      name: 'Redis',
      open() {
        const { store, disconnect } = deployStore('redis', `${randomUUID()}:`)
        ends.push(disconnect)
        return store
      },
    },
  ]
  let schemas = 0
  async function openPostgres(): Promise<Store> {
    const schema = `moved_${(schemas += 1)}`
    await migratePostgres({ pool, schema })
    return postgresStore({ pool, schema })
  }
  const moves = kinds.map((from, at) => ({ from, to: kinds[(at + 1) % kinds.length] ?? from }))

  async function start(options: Parameters<typeof startHost>[0]): Promise<Host> {
    const host = await startHost(options)
    await host.gatehouse.ready()
    return host
  }

  it.each(moves)(
    'after a move from $from.name to $to.name, keys, tokens and revocations are as before, and users connect again',
    async ({ from, to }) => {
      const [source, target] = [await from.open(), await to.open()]
      ends.push(() => Promise.all([source.close(), target.close()]))
      const old = await start({ store: source })
      const key = await old.createApiKey()
      const application = await old.createApplication()
      const { refresh_token } = await connect(old, application)
      const [valid, revoked] = [await tokenOf(old, key), await tokenOf(old, key)]
      await old.gatehouse.tokens.revoke(revoked)
      const lines = await exported(old)
      await old.close()

      const options = { store: target, port: old.port }
      const imported = await importBeforeStart(lines, options)
      expect(imported).toMatchObject({ apiKeys: 1, applications: 1, conflicts: [], skipped: [] })
      const next = await start(options)
      ends.push(() => next.close())
      expect(await statusOf(next, valid)).toBe(200)
      expect(await statusOf(next, revoked)).toBe(401)
      expect(await statusOf(next, await tokenOf(next, key))).toBe(200)
      // The file has no grants.
      const refresh = { ...application, grant_type: 'refresh_token', refresh_token }
      expect((await next.token(refresh)).body['error']).toBe('invalid_grant')
      const { access_token } = await connect(next, application)
      expect(await statusOf(next, access_token)).toBe(200)
    },
  )
})
