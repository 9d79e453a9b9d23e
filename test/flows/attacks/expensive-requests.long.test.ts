import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileHostProgram, type HostProcess, type HostProgram } from '../../support/host-process.ts'
import type { Target } from '../../support/expensive/changes.ts'
import { findExpensive, measureAll, slowestByTarget, type Cost } from '../../support/expensive/measure.ts'

/** Milliseconds of CPU time that one request may cost. */
const LIMIT_MS = 20

/**
 * With a name of a file in this variable, each request is sent alone, and the slowest request of each endpoint is written
 * to the file.
 */
const report = process.env['TEST_REQUEST_COSTS']

describe('the most expensive single requests', () => {
  let program: HostProgram
  let host: HostProcess
  let targets: Target[]
  beforeAll(async () => {
    program = await compileHostProgram('expensive/host-main')
    host = await program.start({ keyPrefix: '' })
    targets = (await host.ask('targets')) as Target[]
  }, 120_000)
  afterAll(() => program?.remove())

  async function measureEach() {
    const costs: Cost[] = []
    for (const target of targets) costs.push(...(await measureAll(host, target)))
    return costs
  }

  it('no single request to any endpoint, page or route costs more than 20 ms of CPU time', async () => {
    const costs = report === undefined ? await findExpensive(host, targets, LIMIT_MS) : await measureEach()
    if (report !== undefined) await writeFile(report, `${slowestByTarget(costs)}\n`)
    expect(costs.filter(({ cpuMs }) => cpuMs > LIMIT_MS)).toEqual([])
    expect(costs.filter(({ status }) => status >= 500)).toEqual([])
    // Node rejects a head that is too large before it reaches our code. Such a request would measure nothing.
    expect(costs.filter(({ status }) => status === 431)).toEqual([])
  }, 1_800_000)

  it('a handler whose time grows with the square of the parameters is found', async () => {
    const [first] = targets as [Target]
    const target = { ...first, name: 'quadratic', method: 'GET', path: '/quadratic', query: {}, headers: {} }
    const costs = await findExpensive(host, [target], LIMIT_MS)
    expect(costs.filter(({ cpuMs }) => cpuMs > LIMIT_MS).map(({ kind }) => kind)).toContain(
      'query: the same name',
    )
  }, 120_000)
})
