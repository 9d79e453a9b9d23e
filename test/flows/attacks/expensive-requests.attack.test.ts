import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import type { Target } from '../../support/expensive/changes.ts'
import { worstKindsFor } from '../../support/expensive/kinds.ts'
import { findExpensive } from '../../support/expensive/measure.ts'

/** Milliseconds of CPU time that one request may cost. */
const LIMIT_MS = 20

// `expensive-requests.long.own-store.test.ts` sends every kind.
describe('the worst known single requests', () => {
  let program: HostProgram
  let host: HostProcess
  let targets: Target[]
  beforeAll(async () => {
    program = await compileHostProgram('expensive/host-main')
    host = await program.start({ keyPrefix: '' })
    targets = (await host.ask('targets')) as Target[]
  }, 120_000)
  afterAll(() => program?.remove())

  it('the worst known requests to each endpoint, page and route cost at most 20 ms of CPU time each', async () => {
    const costs = await findExpensive(host, targets, LIMIT_MS, worstKindsFor)
    expect(costs.length).toBeGreaterThan(20 * targets.length)
    console.info(`${costs.length} requests to ${targets.length} endpoints, pages and routes`)
    expect(costs.filter(({ cpuMs }) => cpuMs > LIMIT_MS)).toEqual([])
    expect(costs.filter(({ status }) => status >= 500 || status === 431)).toEqual([])
  }, 300_000)
})
