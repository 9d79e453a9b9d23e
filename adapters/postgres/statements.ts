/** Replaces the name of the schema in an SQL text. */
export function inSchema(sql: string, schema: string): string {
  return sql.replaceAll(/\bgatehouse\b/g, `"${schema}"`)
}

const LIVE = 'expires_at > clock_timestamp()'
const until = (ttl: string) =>
  `coalesce(clock_timestamp() + ${ttl}::float8 * interval '1 second', 'infinity')`

/** Each method of the store is one statement, and so one round trip and one transaction. */
export const STATEMENTS = {
  get: `select value from gatehouse.value where key = $1 and ${LIVE}`,

  getMany: `select key, value from gatehouse.value where key = any ($1::bytea[]) and ${LIVE}`,

  set: `insert into gatehouse.value values ($1, $2, ${until('$3')}) on conflict (key)
    do update set value = excluded.value, expires_at = excluded.expires_at`,

  create: `insert into gatehouse.value as stored values ($1, $2, ${until('$3')}) on conflict (key)
    do update set value = excluded.value, expires_at = excluded.expires_at where not (stored.${LIVE}) returning true`,

  replace: `update gatehouse.value set value = $3, expires_at = ${until('$4')}
    where key = $1 and value = $2 and ${LIVE} returning true`,

  delete: `with counter as (delete from gatehouse.counter where key = $1)
    delete from gatehouse.value where key = $1 and ${LIVE} returning true`,

  add: `select gatehouse.add_member($1, $2, ${until('$3')})`,

  remove: 'select gatehouse.remove_member($1, $2)',

  // PostgreSQL sorts no members: a join would hide the order of the index from it.
  range: `select member from gatehouse.member
    where index_id = (select id from gatehouse.index where name = $1 and ${LIVE})
      and substring(member for 2000) >= substring($2::bytea for 2000) and member > $2
    order by substring(member for 2000), member limit $3`,

  count: 'select ms, claimed, counts from gatehouse.count_in_slots($1, $2, $3, $4, $5, $6)',

  notify: 'select pg_notify($1, $2)',

  notifyLong: `with long as (
      insert into gatehouse.message (message, expires_at) values ($2, ${until('60')}) returning id
    ) select pg_notify($1, id::text) from long`,

  longMessage: 'select message from gatehouse.message where id = $1',

  ping: 'select true',

  sweep: 'select gatehouse.sweep() as more',
} as const

export type StatementName = keyof typeof STATEMENTS
