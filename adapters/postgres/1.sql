-- Migration 1 of koa-gatehouse, for PostgreSQL 14 and later. Run it once, in one transaction.
--
-- All texts are bytea, which PostgreSQL compares byte by byte. The type text would reject U+0000, and compare by a
-- collation. Each function runs several statements in one round trip. At the isolation level READ COMMITTED, each
-- statement sees what other transactions committed while the statement before it waited for a lock.

create schema if not exists gatehouse;

-- One row.
create table gatehouse.state (version integer not null, swept_at timestamptz not null default now());
insert into gatehouse.state (version) values (1);

create table gatehouse.value (key bytea primary key, value bytea not null, expires_at timestamptz not null);
create index on gatehouse.value (expires_at) where expires_at < 'infinity';

create table gatehouse.index (
  id bigint generated always as identity primary key,
  name bytea not null unique,
  expires_at timestamptz not null
);
create index on gatehouse.index (expires_at) where expires_at < 'infinity';

create table gatehouse.member (
  index_id bigint not null references gatehouse.index on delete cascade,
  member bytea not null
);
-- An entry of a B-tree has at most 2,704 bytes. Longer members are sorted by their beginning, and distinguished by a hash.
create unique index on gatehouse.member (
  index_id, substring(member for 2000), (case when octet_length(member) > 2000 then sha256(member) else '' end)
);

-- Counters and long messages may be lost with the server, so no call waits until they are on disk.
create unlogged table gatehouse.counter (
  key bytea primary key, slot bigint not null, counts bigint[] not null, expires_at timestamptz not null
);
create unlogged table gatehouse.message (
  id uuid primary key default gen_random_uuid(), message bytea not null, expires_at timestamptz not null
);

create function gatehouse.add_member(index_name bytea, added bytea, until timestamptz) returns void
language plpgsql as $$
declare
  found_id bigint;
begin
  -- This lock excludes remove_member, but no other add_member.
  select id into found_id from gatehouse.index where name = index_name and expires_at >= until for key share;
  if not found then
    delete from gatehouse.index where name = index_name and expires_at <= clock_timestamp();
    insert into gatehouse.index (name, expires_at) values (index_name, until) on conflict (name)
      do update set expires_at = greatest(index.expires_at, excluded.expires_at) returning id into found_id;
  end if;
  insert into gatehouse.member values (found_id, added) on conflict do nothing;
end $$;

create function gatehouse.remove_member(index_name bytea, removed bytea) returns void
language plpgsql as $$
declare
  found_id bigint;
begin
  select id into found_id from gatehouse.index where name = index_name for update;
  delete from gatehouse.member
    where index_id = found_id and substring(member for 2000) = substring(removed for 2000) and member = removed;
  delete from gatehouse.index
    where id = found_id and not exists (select from gatehouse.member where index_id = found_id);
end $$;

-- The counts are those of the present slot and of the slots before it, the newest first.
create function gatehouse.count_in_slots(
  counter_key bytea, amount bigint, slot_seconds integer, slots integer, claim bigint, max bigint,
  out ms float8, out claimed bigint, out counts bigint[]
) language plpgsql as $$
declare
  known gatehouse.counter;
  present bigint;
begin
  insert into gatehouse.counter values (counter_key, floor(extract(epoch from now()) / slot_seconds), '{}', now())
    on conflict (key) do update set expires_at = counter.expires_at returning * into known;
  ms := floor(extract(epoch from clock_timestamp()) * 1000);
  present := floor(ms / 1000 / slot_seconds);
  counts := array(
    select coalesce(known.counts[known.slot - present + back + 1], 0)
    from generate_series(0, slots - 1) as back order by back
  );
  claimed := greatest(0, least(claim, max - amount - (select sum(count) from unnest(counts) as count)));
  counts[1] := counts[1] + amount + claimed;
  update gatehouse.counter
    set slot = present, counts = count_in_slots.counts, expires_at = to_timestamp((present + slots) * slot_seconds)
    where key = counter_key;
end $$;

-- Deletes at most 1,000 expired rows of each table. One process sweeps at a time, about once a minute.
-- Answers whether there may be more.
create function gatehouse.sweep() returns boolean language plpgsql as $$
declare
  swept_table text;
  expired text;
  swept bigint;
  most bigint := 0;
begin
  perform from gatehouse.state where swept_at < now() - interval '40 seconds' for update skip locked;
  if not found then
    return false;
  end if;
  for swept_table, expired in values
    ('member', 'index join gatehouse.member on index_id = id where'),
    ('index', 'index where not exists (select from gatehouse.member where index_id = id) and'),
    ('value', 'value where'), ('counter', 'counter where'), ('message', 'message where')
  loop
    execute format('delete from gatehouse.%1$I where ctid = any (array(
      select %1$I.ctid from gatehouse.%2$s expires_at < ''infinity'' and expires_at <= now()
      limit 1000 for update skip locked))', swept_table, expired);
    get diagnostics swept = row_count;
    most := greatest(most, swept);
  end loop;
  if most < 1000 then
    update gatehouse.state set swept_at = clock_timestamp();
  end if;
  return most = 1000;
end $$;
