import { createRequire } from 'node:module'
import path from 'node:path'
import type { SqliteDatabase } from 'koa-gatehouse/adapters/sqlite'

/** An open file of SQLite. */
export type OpenSqlite = SqliteDatabase & { close(): void }

type Database = new (file: string, options?: { readonly: boolean }) => OpenSqlite

/** A library that opens files of SQLite. */
export interface SqliteDriver {
  readonly name: 'better-sqlite3' | 'node:sqlite'
  open(file: string, options?: { readonly readOnly: boolean }): OpenSqlite
}

/** The packages of other people's software, of which better-sqlite3 is one. */
export const FOREIGN = path.resolve(import.meta.dirname, '../foreign/package.json')

/**
 * The drivers that this Node.js has: better-sqlite3 where it is built for this version, and `node:sqlite` from 22.13 on.
 *
 * @param foreign a program that runs elsewhere has to pass the path `FOREIGN`
 */
export function sqliteDrivers(foreign = FOREIGN): SqliteDriver[] {
  return [betterSqlite3(foreign), nodeSqlite()].flatMap((driver) => driver ?? [])
}

function betterSqlite3(foreign: string): SqliteDriver | undefined {
  try {
    const Database = createRequire(foreign)('better-sqlite3') as Database
    new Database(':memory:').close()
    return {
      name: 'better-sqlite3',
      open: (file, { readOnly = false } = { readOnly: false }) => new Database(file, { readonly: readOnly }),
    }
  } catch {
    return undefined
  }
}

function nodeSqlite(): SqliteDriver | undefined {
  const builtIn: unknown = process.getBuiltinModule('node:sqlite')
  if (!builtIn) return undefined
  const { DatabaseSync } = builtIn as {
    DatabaseSync: new (file: string, options: { readOnly: boolean }) => OpenSqlite
  }
  return {
    name: 'node:sqlite',
    open: (file, options = { readOnly: false }) => new DatabaseSync(file, options),
  }
}
