/**
 * The tables that the host's migration creates for `sqlStore`, for PostgreSQL 13 or later.
 *
 * All texts are `bytea`, which PostgreSQL compares byte by byte, as the contract requires. The type `text`
 * would reject U+0000 and compare by a collation. An entry of a B-tree has at most 2,704 bytes, so members
 * are distinguished by their hash and sorted by their first 500 bytes. Each function runs several statements
 * in one round trip. At the default isolation level, READ COMMITTED, each statement sees the changes that
 * other transactions committed while the previous statement waited for a lock.
 */
export const SCHEMA = `
create table gatehouse_value (key bytea primary key, value bytea not null, expires_at timestamptz not null);
create table gatehouse_index (name bytea primary key, expires_at timestamptz not null);
create table gatehouse_member (
  name bytea not null references gatehouse_index on delete cascade,
  member bytea not null,
  hash bytea not null generated always as (sha256(member)) stored,
  primary key (name, hash)
);
create index on gatehouse_member (name, substring(member for 500));
create table gatehouse_message (id uuid primary key, text bytea not null, expires_at timestamptz not null);

create function gatehouse_until(ttl float8) returns timestamptz language sql as $$
  select coalesce(clock_timestamp() + ttl * interval '1 second', 'infinity')
$$;
create function gatehouse_add(index_name bytea, added bytea, ttl float8) returns void language plpgsql as $$
begin
  delete from gatehouse_index where name = index_name and expires_at <= clock_timestamp();
  -- Locks the row of the index until the member is inserted. So gatehouse_remove cannot delete the index as
  -- empty meanwhile.
  insert into gatehouse_index values (index_name, gatehouse_until(ttl)) on conflict (name)
    do update set expires_at = greatest(gatehouse_index.expires_at, excluded.expires_at);
  insert into gatehouse_member values (index_name, added) on conflict do nothing;
end $$;
create function gatehouse_remove(index_name bytea, removed bytea) returns void language plpgsql as $$
begin
  perform from gatehouse_index where name = index_name for update;
  delete from gatehouse_member where name = index_name and hash = sha256(removed);
  delete from gatehouse_index where name = index_name
    and not exists (select from gatehouse_member where name = index_name);
end $$;`
