import { GatehouseError, type Store } from 'koa-gatehouse'

/**
 * The client that the adapter needs. PGlite has these methods. With `pg`, a pool runs the queries, and a
 * separate connection listens. When the listening connection is lost, the client opens another connection and
 * calls `resumed`.
 */
export interface SqlClient {
  query(text: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  listen(
    channel: string,
    receive: (payload: string) => void,
    resumed: () => void,
  ): Promise<() => Promise<void>>
}

interface Subscription {
  deliver(message: string): void
  notifyMissed(): void
}

const LIVE = 'expires_at > clock_timestamp()'
const SWEEP = ['value', 'index', 'message'].map(
  (table) => `delete from gatehouse_${table} where not (${LIVE})`,
)
/** Milliseconds between two deletions of expired rows. */
const SWEEP_INTERVAL_MS = 600_000
/**
 * The payload of NOTIFY must be shorter than this limit. A longer message is stored, and NOTIFY sends its id.
 */
const NOTIFY_LIMIT_BYTES = 8000

const bytes = (text: string) => Buffer.from(text)
const text = (column: unknown) => Buffer.from(column as Uint8Array).toString()

/**
 * A store that keeps everything in PostgreSQL. It needs no `durable`: a commit settles once the data is on
 * disk, and also on a standby if `synchronous_standby_names` names a standby.
 *
 * A host that turns `synchronous_commit` off for speed would need a second client with `synchronous_commit`
 * on. `durable` would then be a store that this function creates with the second client.
 */
export function sqlStore(client: SqlClient): Store {
  const subscriptions = new Map<string, Set<Subscription>>()
  let listening: Promise<() => Promise<void>> | undefined
  let closed = false

  async function query(sql: string, ...parameters: unknown[]): Promise<Record<string, unknown>[]> {
    if (closed) throw new GatehouseError('ERR_CLOSED', 'the SQL store has been closed')
    return (await client.query(sql, parameters)).rows
  }
  const isOne = async (rows: Promise<unknown[]>) => (await rows).length === 1

  const sweeping = setInterval(() => {
    for (const sql of SWEEP) query(sql).catch(() => {})
  }, SWEEP_INTERVAL_MS).unref()

  /**
   * Delivers a message. The payload is the channel and the message as JSON, or the id of a stored row with
   * this JSON.
   */
  async function receive(payload: string): Promise<void> {
    const [stored] = payload.startsWith('[')
      ? [{ text: bytes(payload) }]
      : await query('select text from gatehouse_message where id = $1', payload)
    if (!stored) return
    const [channel, message] = JSON.parse(text(stored['text'])) as [string, string]
    for (const { deliver } of subscriptions.get(channel) ?? []) deliver(message)
  }

  /**
   * Starts listening in the database, if not yet done. All channels of the store share one database channel.
   */
  async function listen(): Promise<void> {
    listening ??= client.listen(
      'gatehouse',
      (payload) => void receive(payload).catch(() => {}),
      () => [...subscriptions.values()].forEach((all) => all.forEach(({ notifyMissed }) => notifyMissed())),
    )
    try {
      await listening
    } catch (error) {
      listening = undefined
      throw error
    }
  }

  return {
    async get(key) {
      const [row] = await query(`select value from gatehouse_value where key = $1 and ${LIVE}`, bytes(key))
      return row && text(row['value'])
    },

    async getMany(keys) {
      const sql = `select key, value from gatehouse_value where key = any($1::bytea[]) and ${LIVE}`
      const rows = await query(sql, keys.map(bytes))
      const found = new Map(rows.map(({ key, value }) => [text(key), text(value)]))
      return keys.map((key) => found.get(key))
    },

    async set(key, value, ttl) {
      const sql = `insert into gatehouse_value values ($1, $2, gatehouse_until($3)) on conflict (key)
        do update set value = excluded.value, expires_at = excluded.expires_at`
      await query(sql, bytes(key), bytes(value), ttl ?? null)
    },

    create(key, value, ttl) {
      const sql = `insert into gatehouse_value as old values ($1, $2, gatehouse_until($3)) on conflict (key)
        do update set value = excluded.value, expires_at = excluded.expires_at
        where not (old.${LIVE}) returning true`
      return isOne(query(sql, bytes(key), bytes(value), ttl ?? null))
    },

    replace(key, expected, value, ttl) {
      const sql = `update gatehouse_value set value = $3, expires_at = gatehouse_until($4)
        where key = $1 and value = $2 and ${LIVE} returning true`
      return isOne(query(sql, bytes(key), bytes(expected), bytes(value), ttl ?? null))
    },

    delete: (key) =>
      isOne(query(`delete from gatehouse_value where key = $1 and ${LIVE} returning true`, bytes(key))),

    async add(index, member, ttl) {
      await query('select gatehouse_add($1, $2, $3)', bytes(index), bytes(member), ttl ?? null)
    },

    async remove(index, member) {
      await query('select gatehouse_remove($1, $2)', bytes(index), bytes(member))
    },

    async range(index, { after = '', limit }) {
      const sql = `select member from gatehouse_member join gatehouse_index using (name)
        where name = $1 and ${LIVE} and member > $2 and substring(member for 500) >= substring($2 for 500)
        order by substring(member for 500), member limit $3`
      return (await query(sql, bytes(index), bytes(after), limit)).map(({ member }) => text(member))
    },

    async publish(channel, message) {
      const sent = JSON.stringify([channel, message])
      if (Buffer.byteLength(sent) < NOTIFY_LIMIT_BYTES) {
        await query(`select pg_notify('gatehouse', $1)`, sent)
        return
      }
      const sql = `with stored as (
          insert into gatehouse_message values (gen_random_uuid(), $1, gatehouse_until(60)) returning id
        ) select pg_notify('gatehouse', id::text) from stored`
      await query(sql, bytes(sent))
    },

    async subscribe(channel, listener, missed = () => {}) {
      // This query rejects if the store is closed or the database is unreachable, even if the store already
      // listens.
      await query('select true')
      await listen()
      const all = subscriptions.get(channel) ?? new Set()
      // Calls each listener later and separately. So a listener that throws or rejects does not affect other
      // listeners.
      const later = (call: () => void) =>
        void Promise.resolve()
          .then(() => (all.has(subscription) ? call() : undefined))
          .catch(() => {})
      const subscription: Subscription = {
        deliver: (message) => later(() => listener(message)),
        notifyMissed: () => later(missed),
      }
      subscriptions.set(channel, all.add(subscription))
      return async () => {
        all.delete(subscription)
        if (all.size === 0 && subscriptions.get(channel) === all) subscriptions.delete(channel)
      }
    },

    async ping() {
      await query('select true')
    },

    async inspect() {
      const [row] = await query(`select extract(epoch from clock_timestamp())::float8 * 1000 as time,
        current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable`)
      const failed = { status: 'fail', remedy: 'set fsync and synchronous_commit to on' } as const
      const check = row?.['durable'] === true ? ({ status: 'pass' } as const) : failed
      const message = `a commit is answered ${check.status === 'pass' ? 'after' : 'before'} it is on disk`
      return { time: Number(row?.['time']), checks: [{ name: 'persistence', message, ...check }] }
    },

    async close() {
      if (closed) return
      closed = true
      clearInterval(sweeping)
      for (const all of subscriptions.values()) all.clear()
      subscriptions.clear()
      const end = await listening?.catch(() => undefined)
      await end?.()
    },
  }
}
