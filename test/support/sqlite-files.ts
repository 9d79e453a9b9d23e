import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import { sqliteDrivers, type OpenSqlite, type SqliteDriver } from './sqlite.ts'

/**
 * Files of SQLite in a temporary folder, which is removed after the current `describe`. Call it where tests are collected,
 * in a suite that is skipped without a driver.
 */
export function sqliteFiles(driver: SqliteDriver | undefined = sqliteDrivers()[0]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'koa-gatehouse-'))
  const opened: OpenSqlite[] = []
  let count = 0
  afterAll(() => {
    for (const database of opened) if (isOpen(database)) database.close()
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    newFile: () => path.join(folder, `${(count += 1)}.db`),
    open(file: string, options?: { readonly readOnly: boolean }): OpenSqlite {
      if (driver === undefined) throw new Error('no driver of SQLite is installed')
      const database = driver.open(file, options)
      opened.push(database)
      return database
    },
  }
}

function isOpen(database: OpenSqlite): boolean {
  try {
    database.exec('select 1')
    return true
  } catch {
    return false
  }
}
