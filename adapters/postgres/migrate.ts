import { readAsset } from '../../src/http/read-asset.ts'
import { inSchema } from './statements.ts'

/** Each is also a file of the package, for hosts that migrate by their own tool. A published file is never changed. */
const MIGRATIONS = [readAsset(new URL('./1.sql', import.meta.url))]

/** One statement, and so one transaction, which drivers without multiple statements can run, too. */
export function migrationOf(schema: string): string {
  const steps = MIGRATIONS.map(
    (text, before) => `if known = ${before} then
      execute $migration$${text}$migration$;
      select version into known from gatehouse.state;
    end if;`,
  )
  return inSchema(
    `do $migrate$ declare
      known integer := 0;
    begin
      perform pg_advisory_xact_lock(hashtextextended('koa-gatehouse', 0));
      if to_regclass('gatehouse.state') is not null then
        select version into known from gatehouse.state;
      end if;
      ${steps.join('\n')}
    end $migrate$`,
    schema,
  )
}
