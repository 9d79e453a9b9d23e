import { describe } from 'vitest'
import { findProgram } from './required-programs.ts'

/** A `describe` that is skipped where redis-server is missing; the end of the run says so. */
export function describeWithRedis(name: string, suite: () => void): void {
  describe.skipIf(findProgram('redis-server') === undefined)(name, suite)
}
