import { expect, it } from 'vitest'
import { makeFuzzHostKeys } from '../support/fuzz/fuzz-host.ts'
import { fuzz } from '../support/fuzz/run.ts'
import { FOREIGN_ROUTERS } from './routers.ts'

it('500 generated requests reach no handler of find-my-way and of Fastify without a token, and cause no failure', async () => {
  const keys = await makeFuzzHostKeys()
  const report = await fuzz({
    seed: 2,
    count: 500,
    perHost: 250,
    keys,
    fuzzHost: { foreign: FOREIGN_ROUTERS },
  })
  expect(report.findings).toEqual([])
  expect(report.sent).toBe(500)
  expect(report.runs).toBeGreaterThan(20)
})
