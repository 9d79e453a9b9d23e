import { describe } from 'vitest'
import { findProgram } from './required-programs.ts'

/**
 * A `describe` that is skipped without PostgreSQL. A message at the end of the test run reports the skipped
 * tests.
 */
export function describeWithPostgres(name: string, suite: () => void): void {
  describe.skipIf(findProgram('postgres') === undefined)(name, suite)
}
