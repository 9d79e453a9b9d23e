import { readAsset } from '../../src/http/read-asset.ts'
import { inSchema } from './statements.ts'

/** A file of the package, too, for hosts that migrate by their own tool. A published file is never changed. */
const FIRST = readAsset(new URL('./1.sql', import.meta.url))

/** One statement, and so one transaction, which drivers without multiple statements can run, too. */
export function migrationOf(schema: string): string {
  const sql = `do $migrate$ begin
    perform pg_advisory_xact_lock(hashtextextended('koa-gatehouse', 0));
    if to_regclass('gatehouse.state') is null then
      execute $migration$${FIRST}$migration$;
    end if;
  end $migrate$`
  return inSchema(sql, schema)
}
