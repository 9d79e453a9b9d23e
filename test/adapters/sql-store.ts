import { GatehouseError, type Store } from 'koa-gatehouse'

/**
 * What the adapter asks of a client. With PGlite these are its own methods; with `pg` a pool that queries, and one
 * connection that listens, is opened again when it was lost, and then calls `again`.
 */
export interface SqlClient {
  query(text: string, parameters?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  listen(channel: string, hear: (payload: string) => void, again: () => void): Promise<() => Promise<void>>
}

interface Subscription {
  tell(message: string): void
  tellMissed(): void
}

const LIVING = 'expires_at > clock_timestamp()'
const SWEEP = ['value', 'index', 'message'].map(
  (table) => `delete from gatehouse_${table} where not (${LIVING})`,
)
/** Milliseconds between two times that what has expired is deleted. */
const SWEEP_EVERY = 600_000
/** Bytes that NOTIFY takes are fewer than these; a longer message is stored, and its id is sent. */
const NOTIFY_LIMIT = 8000

const bytes = (text: string) => Buffer.from(text)
const text = (column: unknown) => Buffer.from(column as Uint8Array).toString()

/**
 * Keeps everything in PostgreSQL. There is no `durable`: a commit answers once it is on disk, and on a standby where
 * `synchronous_standby_names` says so. Who turned `synchronous_commit` off for speed would hand over a second client
 * that has it on, and answer as `durable` what this function makes of that one.
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
  }, SWEEP_EVERY).unref()

  /** Tells the listeners of this store what the one channel of the database brought: a message, or the id of one. */
  async function hear(payload: string): Promise<void> {
    const [stored] = payload.startsWith('[')
      ? [{ text: bytes(payload) }]
      : await query('select text from gatehouse_message where id = $1', payload)
    if (!stored) return
    const [channel, message] = JSON.parse(text(stored['text'])) as [string, string]
    for (const { tell } of subscriptions.get(channel) ?? []) tell(message)
  }

  /** Begins to listen, once for all channels. */
  async function listen(): Promise<void> {
    listening ??= client.listen(
      'gatehouse',
      (payload) => void hear(payload).catch(() => {}),
      () => [...subscriptions.values()].forEach((all) => all.forEach(({ tellMissed }) => tellMissed())),
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
      const [row] = await query(`select value from gatehouse_value where key = $1 and ${LIVING}`, bytes(key))
      return row && text(row['value'])
    },

    async getMany(keys) {
      const sql = `select key, value from gatehouse_value where key = any($1::bytea[]) and ${LIVING}`
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
        where not (old.${LIVING}) returning true`
      return isOne(query(sql, bytes(key), bytes(value), ttl ?? null))
    },

    replace(key, expected, value, ttl) {
      const sql = `update gatehouse_value set value = $3, expires_at = gatehouse_until($4)
        where key = $1 and value = $2 and ${LIVING} returning true`
      return isOne(query(sql, bytes(key), bytes(expected), bytes(value), ttl ?? null))
    },

    delete: (key) =>
      isOne(query(`delete from gatehouse_value where key = $1 and ${LIVING} returning true`, bytes(key))),

    async add(index, member, ttl) {
      await query('select gatehouse_add($1, $2, $3)', bytes(index), bytes(member), ttl ?? null)
    },

    async remove(index, member) {
      await query('select gatehouse_remove($1, $2)', bytes(index), bytes(member))
    },

    async range(index, { after = '', limit }) {
      const sql = `select member from gatehouse_member join gatehouse_index using (name)
        where name = $1 and ${LIVING} and member > $2 and substring(member for 500) >= substring($2 for 500)
        order by substring(member for 500), member limit $3`
      return (await query(sql, bytes(index), bytes(after), limit)).map(({ member }) => text(member))
    },

    async publish(channel, message) {
      const sent = JSON.stringify([channel, message])
      if (Buffer.byteLength(sent) < NOTIFY_LIMIT) {
        await query(`select pg_notify('gatehouse', $1)`, sent)
        return
      }
      const sql = `with stored as (
          insert into gatehouse_message values (gen_random_uuid(), $1, gatehouse_until(60)) returning id
        ) select pg_notify('gatehouse', id::text) from stored`
      await query(sql, bytes(sent))
    },

    async subscribe(channel, listener, missed = () => {}) {
      // Says so if the store is closed or the database away, also where this store listens already.
      await query('select true')
      await listen()
      const all = subscriptions.get(channel) ?? new Set()
      // Later and each by itself, so that one that throws or rejects disturbs nobody.
      const later = (call: () => void) =>
        void Promise.resolve()
          .then(() => (all.has(subscription) ? call() : undefined))
          .catch(() => {})
      const subscription: Subscription = {
        tell: (message) => later(() => listener(message)),
        tellMissed: () => later(missed),
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
      const bad = { status: 'fail', remedy: 'set fsync and synchronous_commit to on' } as const
      const check = row?.['durable'] === true ? ({ status: 'pass' } as const) : bad
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
