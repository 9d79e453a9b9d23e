import { periodically } from '../src/async/periodically.ts'
import type { Store } from '../src/store/contract.ts'
import { countInSlots } from '../src/store/slot-counters.ts'
import { textOfColumn } from '../src/store/text-of-column.ts'
import { createQueries, EXPIRED, fileOf, LIVE, NOW, UNTIL, type SqliteDatabase } from './sqlite/database.ts'
import { inspectSqlite } from './sqlite/inspect.ts'
import { createMessages } from './sqlite/messages.ts'
import { createTransactions } from './sqlite/transactions.ts'

export type { SqliteDatabase } from './sqlite/database.ts'

const SET = `insert into gatehouse_value values (?, ?, ${UNTIL})
  on conflict (key) do update set value = excluded.value, expires_at = excluded.expires_at`
const REPLACE = `update gatehouse_value set value = ?, expires_at = ${UNTIL} where key = ? and value = ? and ${LIVE}`
/** `add` then makes a new index. The sweep deletes the members of the old one. */
const UNNAME_EXPIRED = `update gatehouse_index set name = null where name = ? and ${EXPIRED}`
const ADD_INDEX = `insert into gatehouse_index (name, expires_at) values (?, ${UNTIL}) on conflict (name)
  do update set expires_at = excluded.expires_at where excluded.expires_at > gatehouse_index.expires_at`
const ADD_MEMBER = 'insert or ignore into gatehouse_member select id, ? from gatehouse_index where name = ?'
const REMOVE_MEMBER = `delete from gatehouse_member
  where member = ? and index_id = (select id from gatehouse_index where name = ?)`
const REMOVE_EMPTY = `delete from gatehouse_index
  where name = ? and not exists (select 1 from gatehouse_member where index_id = id)`
const RANGE = `select member from gatehouse_member where member > coalesce(?, x'')
  and index_id = (select id from gatehouse_index where name = ? and ${LIVE}) order by member limit ?`

const SWEEP_INTERVAL_MS = 60_000
/** Few enough that a step holds neither the file nor the event loop for long. */
const SWEPT_ROWS = 200
const SWEEP = [
  `delete from gatehouse_value where rowid in (
    select rowid from gatehouse_value where ${EXPIRED} limit ${SWEPT_ROWS})`,
  `delete from gatehouse_member where (index_id, member) in (
    select id, member from gatehouse_index join gatehouse_member on index_id = id
    where ${EXPIRED} limit ${SWEPT_ROWS})`,
  `delete from gatehouse_index
    where ${EXPIRED} and not exists (select 1 from gatehouse_member where index_id = id)`,
  `delete from gatehouse_message where ${EXPIRED}`,
]

/**
 * Stores all data in a file of SQLite, for one or several processes of one machine. The file must be on a local disk.
 *
 * The host opens the database with better-sqlite3 12, or with `node:sqlite` of Node.js 22.13 or later, and closes it
 * after the store. The store needs a connection of its own. The file may also have tables of the host.
 *
 * ```ts
 * import Database from 'better-sqlite3' // or: import { DatabaseSync } from 'node:sqlite'
 * const store = sqliteStore(new Database('gatehouse.db'))
 * ```
 *
 * The store creates its tables, whose names begin with `gatehouse_`, and sets `journal_mode`, `synchronous` and
 * `busy_timeout`. A write resolves once it is on disk. If another process has locked the file, the store tries again for
 * a second, and does not hold the event loop meanwhile. Messages of other processes arrive within about 100 ms.
 *
 * @throws {GatehouseError} `ERR_OPTIONS` if the argument is no open database, or its data is in memory. The methods of
 *   the store reject with `ERR_STORE_UNAVAILABLE` if the file is locked for more than a second, read-only or corrupt,
 *   or its disk is full, and with `ERR_CLOSED` after `close()`
 */
export function sqliteStore(database: SqliteDatabase): Store {
  const file = fileOf(database)
  const queries = createQueries(database)
  const { change, rows } = queries
  const transactions = createTransactions(database, queries)
  const { read, write } = transactions
  const messages = createMessages(queries, transactions)
  const sweepOnce = () => write(() => SWEEP.some((sql) => change(sql) >= SWEPT_ROWS))
  const stopSweeping = periodically(async () => {
    while (await sweepOnce());
  }, SWEEP_INTERVAL_MS)

  function get(key: string): string | undefined {
    const [row] = rows(`select value from gatehouse_value where key = ? and ${LIVE}`, key)
    return row && textOfColumn(row['value'])
  }

  return {
    get: (key) => read(() => get(key)),
    getMany: (keys) => read(() => keys.map(get)),
    set: (key, value, ttl) => write(() => void change(SET, key, value, ttl)),
    create: (key, value, ttl) =>
      write(() => change(`${SET} where gatehouse_value.${EXPIRED}`, key, value, ttl) === 1),
    replace: (key, expected, value, ttl) => write(() => change(REPLACE, value, ttl, key, expected) === 1),
    delete: (key) => write(() => change(`delete from gatehouse_value where key = ? and ${LIVE}`, key) === 1),

    add: (index, member, ttl) =>
      write(() => {
        change(UNNAME_EXPIRED, index)
        change(ADD_INDEX, index, ttl)
        change(ADD_MEMBER, member, index)
      }),

    remove: (index, member) =>
      write(() => {
        if (change(REMOVE_MEMBER, member, index) > 0) change(REMOVE_EMPTY, index)
      }),

    range: (index, { after, limit }) =>
      read(() => rows(RANGE, after, index, limit).map(({ member }) => textOfColumn(member))),
    ...messages,

    count: (key, amount, options) =>
      write(() => {
        const counts = new Map(JSON.parse(get(key) ?? '[]') as [number, number][])
        const time = Number(rows(`select ${NOW} as time`)[0]?.['time'])
        const counted = countInSlots(counts, time, amount, options)
        const ttl = options.slotSeconds * options.slots
        if (amount + counted.claimed > 0) change(SET, key, JSON.stringify([...counts]), ttl)
        return counted
      }),

    ping: () => read(() => void rows('select 1 from gatehouse_schema')),
    inspect: () => inspectSqlite(file, queries, transactions),

    async close() {
      stopSweeping()
      messages.close()
      transactions.close()
    },
  }
}
