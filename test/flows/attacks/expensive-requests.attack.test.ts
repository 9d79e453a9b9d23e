import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import type { Target } from '../../support/expensive/changes.ts'
import { worstKindsFor } from '../../support/expensive/kinds.ts'
import { findExpensive } from '../../support/expensive/measure.ts'

/** Milliseconds of CPU time that one request may cost. */
const LIMIT_MS = 20

/** One target of each kind: those that differ only in their path have the same parser and the same guards. */
function oneOfEachKind(targets: readonly Target[]): Target[] {
  const kinds = new Map<string, Target>()
  for (const target of targets) {
    const { port, method, reads, query, form, members = [], name } = target
    const surface = /^\w+ (console|management)/.exec(name)?.[1] ?? name
    const fields = [query, form].map((each) => Object.keys(each).toSorted().join())
    const kind = JSON.stringify([port, surface, method, reads, fields, members.length > 0])
    if (!kinds.has(kind)) kinds.set(kind, target)
  }
  return [...kinds.values()]
}

// `expensive-requests.long.test.ts` sends every kind to every target.
describe('the worst known single requests', () => {
  let program: HostProgram
  let host: HostProcess
  let targets: Target[]
  beforeAll(async () => {
    program = await compileHostProgram('expensive/host-main')
    host = await program.start({ keyPrefix: '' })
    targets = oneOfEachKind((await host.ask('targets')) as Target[])
  }, 120_000)
  afterAll(() => program?.remove())

  it('the worst known requests to each endpoint, and to one page and route of each kind, cost at most 20 ms of CPU time each', async () => {
    const costs = await findExpensive(host, targets, LIMIT_MS, worstKindsFor)
    expect(costs.length).toBeGreaterThan(20 * targets.length)
    expect(targets.length).toBeGreaterThan(30)
    expect(costs.filter(({ cpuMs }) => cpuMs > LIMIT_MS)).toEqual([])
    expect(costs.filter(({ status }) => status >= 500 || status === 431)).toEqual([])
  }, 300_000)
})
