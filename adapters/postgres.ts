import { setTimeout as delay } from 'node:timers/promises'
import { periodically } from '../src/async/periodically.ts'
import { storeClosed } from '../src/errors.ts'
import type { Store } from '../src/store/contract.ts'
import { textOfColumn } from '../src/store/text-of-column.ts'
import type { PostgresClient, PostgresRow, StatementRunner } from './postgres/client.ts'
import { isDiskFull, isRepeatable, storeFailure } from './postgres/errors.ts'
import { checkDatabase, requireUsable, STATE, type DatabaseState } from './postgres/inspect.ts'
import { createMessages } from './postgres/messages.ts'
import { migrationOf } from './postgres/migrate.ts'
import { requireOptions, type PostgresClientOptions, type PostgresPoolOptions } from './postgres/options.ts'
import { createPoolRunner } from './postgres/pool.ts'
import { inSchema, STATEMENTS, type StatementName } from './postgres/statements.ts'

export type {
  PostgresClient,
  PostgresConnection,
  PostgresPool,
  PostgresRow,
  PostgresStatement,
} from './postgres/client.ts'
export type { PostgresClientOptions, PostgresPoolOptions } from './postgres/options.ts'

const SCHEMA = 'gatehouse'
const TIMEOUT_MS = 1000
const MIGRATION_TIMEOUT_MS = 600_000
const SWEEP_MS = 60_000
const MAX_ATTEMPTS = 4
const DISK_FULL_MS = 60_000

const bytes = (text: string) => Buffer.from(text)

/**
 * Creates the tables of `postgresStore`, or changes them for this version of the library. A repeated call changes
 * nothing, and several processes may call it at the same time. Call it as the owner of the tables. The same statements
 * are in `koa-gatehouse/adapters/postgres/1.sql`, for hosts that migrate by a tool of their own.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the options are invalid, `ERR_STORE_UNAVAILABLE` if PostgreSQL cannot be
 *   reached, or rejects a statement, as for a user without the right to create a schema
 */
export async function migratePostgres(
  options: PostgresPoolOptions | Pick<PostgresClientOptions, 'query' | 'schema'>,
): Promise<void> {
  requireOptions('migratePostgres', options)
  const { schema = SCHEMA } = options
  const client =
    'pool' in options ? createPoolRunner(options.pool, MIGRATION_TIMEOUT_MS, async () => {}) : options
  try {
    await client.query(migrationOf(schema), [])
  } catch (error) {
    throw storeFailure(error, schema)
  }
}

/**
 * Stores all data in PostgreSQL 14 or later, for any number of processes. Create the tables first, with
 * `migratePostgres`.
 *
 * The host creates the pool, and closes it after the store:
 *
 * ```ts
 * const pool = new Pool({
 *   connectionString,
 *   connectionTimeoutMillis: 1000, // a call fails at once if PostgreSQL cannot be reached
 *   statement_timeout: 1000,       // no write is applied long after its request got 503
 * })
 * ```
 *
 * One connection of the pool listens to messages (`LISTEN`), from the first subscription on. Through a pooler in
 * transaction mode no message arrives: the process then polls every second, and `inspect` warns.
 *
 * A write resolves when its commit is on disk, and on a standby if `synchronous_standby_names` names one. So the store
 * needs no `durable` view. It rejects a standby, unlogged tables, `synchronous_commit` `off`, and `local` if a standby
 * is named.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the options are invalid. The methods of the store reject with
 *   `ERR_STORE_UNAVAILABLE` if PostgreSQL cannot be reached or cannot answer, `ERR_OPTIONS` if a setting of PostgreSQL
 *   does not keep confirmed writes, `ERR_CLOSED` after `close()`
 */
export function postgresStore(options: PostgresPoolOptions | PostgresClientOptions): Store {
  requireOptions('postgresStore', options)
  const { schema = SCHEMA } = options
  const statements = Object.fromEntries(
    Object.entries({ ...STATEMENTS, state: STATE }).map(([name, sql]) => [name, inSchema(sql, schema)]),
  )
  const runner = createRunner(options, schema)
  const messages = createMessages(run, runner, schema)
  let closed = false
  let diskFullAt = Number.NEGATIVE_INFINITY

  async function run(name: StatementName | 'state', ...values: unknown[]): Promise<readonly PostgresRow[]> {
    const text = statements[name] ?? ''
    for (let attempt = 1; ; attempt += 1) {
      if (closed) throw storeClosed('PostgreSQL')
      try {
        // Behind a pooler in transaction mode, the next session would not know the name.
        const prepared = messages.areDelivered ? `${schema}.${name}` : undefined
        return (await runner.query(text, values, prepared)).rows
      } catch (error) {
        if (isDiskFull(error)) diskFullAt = performance.now()
        if (attempt === MAX_ATTEMPTS || !isRepeatable(error)) throw storeFailure(error, schema)
        await delay(Math.random() * 10 * attempt)
      }
    }
  }

  const isOne = async (rows: Promise<readonly PostgresRow[]>) => (await rows).length === 1

  const stopSweeping = periodically(async () => {
    while ((await run('sweep'))[0]?.['more'] === true);
  }, SWEEP_MS)

  return {
    async get(key) {
      const [row] = await run('get', bytes(key))
      return row && textOfColumn(row['value'])
    },

    async getMany(keys) {
      const rows = await run('getMany', keys.map(bytes))
      const found = new Map(rows.map(({ key, value }) => [textOfColumn(key), textOfColumn(value)]))
      return keys.map((key) => found.get(key))
    },

    set: async (key, value, ttl) => void (await run('set', bytes(key), bytes(value), ttl ?? null)),

    create: (key, value, ttl) => isOne(run('create', bytes(key), bytes(value), ttl ?? null)),

    replace: (key, expected, value, ttl) =>
      isOne(run('replace', bytes(key), bytes(expected), bytes(value), ttl ?? null)),

    delete: (key) => isOne(run('delete', bytes(key))),

    add: async (index, member, ttl) => void (await run('add', bytes(index), bytes(member), ttl ?? null)),

    remove: async (index, member) => void (await run('remove', bytes(index), bytes(member))),

    range: async (index, { after = '', limit }) =>
      (await run('range', bytes(index), bytes(after), limit)).map(({ member }) => textOfColumn(member)),

    publish: (channel, message) => messages.publish(channel, message),

    subscribe: (channel, listener, missed) => messages.subscribe(channel, listener, missed),

    async count(key, amount, { slotSeconds, slots, claim, max }) {
      const [row] = await run('count', bytes(key), amount, slotSeconds, slots, claim, max)
      const { ms, claimed, counts } = row as { ms: number; claimed: unknown; counts: unknown[] }
      return { time: ms, claimed: Number(claimed), counts: counts.map(Number) }
    },

    ping: async () => void (await run('ping')),

    async inspect() {
      const state = (await run('state'))[0] as DatabaseState
      const checks = checkDatabase(state, {
        isListening: messages.isListening,
        areDelivered: messages.areDelivered,
        wasDiskFull: performance.now() - diskFullAt < DISK_FULL_MS,
      })
      return { time: state.time, checks }
    },

    async close() {
      closed = true
      stopSweeping()
      messages.close()
    },
  }
}

/** Before the first statement of a connection, it is checked where the connection leads. */
function createRunner(options: PostgresPoolOptions | PostgresClientOptions, schema: string): StatementRunner {
  const sql = inSchema(STATE, schema)
  const verify = async (query: PostgresClient['query']) =>
    requireUsable((await query(sql, [])).rows[0] as DatabaseState)
  if ('pool' in options) return createPoolRunner(options.pool, options.timeoutMs ?? TIMEOUT_MS, verify)
  let isVerified = false
  return {
    async query(text, values) {
      if (!isVerified) await verify((...call) => options.query(...call))
      isVerified = true
      return options.query(text, values)
    },
    listen: (...call) => options.listen(...call),
  }
}
