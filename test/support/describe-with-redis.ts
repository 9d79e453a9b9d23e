import { describe } from 'vitest'
import { findProgram } from './required-programs.ts'

/**
 * A `describe` that is skipped without redis-server. A message at the end of the test run reports the skipped
 * tests.
 */
export function describeWithRedis(name: string, suite: () => void): void {
  describe.skipIf(findProgram('redis-server') === undefined)(name, suite)
}
