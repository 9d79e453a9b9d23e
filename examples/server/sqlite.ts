import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { SqliteDatabase } from 'koa-gatehouse/adapters/sqlite'
import { StartError } from './start-error.ts'

type Open = new (file: string) => SqliteDatabase & { close(): void }

/**
 * Opens a file of SQLite, and creates it if it is missing: with `node:sqlite`, which Node.js has from version 22.13 on, or
 * with better-sqlite3. A real app imports one of the two.
 *
 * @throws {StartError} if there is no SQLite, or the file cannot be opened
 */
export async function openSqlite(file: string): Promise<InstanceType<Open>> {
  const Database = await findSqlite()
  try {
    mkdirSync(path.dirname(file), { recursive: true })
    return new Database(file)
  } catch (error) {
    throw new StartError(`SQLITE_FILE ${file} cannot be opened: ${(error as Error).message}`)
  }
}

async function findSqlite(): Promise<Open> {
  const builtIn: unknown = process.getBuiltinModule('node:sqlite')
  if (builtIn) return (builtIn as { DatabaseSync: Open }).DatabaseSync
  try {
    // A variable, because TypeScript and bundlers look for a package whose name is a literal.
    const name: string = 'better-sqlite3'
    return ((await import(name)) as { default: Open }).default
  } catch {
    throw new StartError(
      `SQLITE_FILE needs Node.js 22.13, or on Node.js ${process.versions.node}: npm install --no-save --save-dev better-sqlite3`,
    )
  }
}
