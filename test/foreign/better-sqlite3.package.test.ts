import type Database from 'better-sqlite3'
import { expectTypeOf, it } from 'vitest'
import type { SqliteDatabase, sqliteStore } from '../../adapters/sqlite.ts'

it('a database of better-sqlite3 fits the type that the adapter takes', () => {
  expectTypeOf<Database.Database>().toExtend<SqliteDatabase>()
  expectTypeOf<Parameters<typeof sqliteStore>>().toEqualTypeOf<[SqliteDatabase]>()
})
