import { describe } from 'vitest'
import { sqliteDrivers } from './sqlite.ts'

/** A `describe` that is skipped without a driver of SQLite. A message at the end of the test run reports the skipped tests. */
export function describeWithSqlite(name: string, suite: () => void): void {
  describe.skipIf(sqliteDrivers().length === 0)(name, suite)
}
