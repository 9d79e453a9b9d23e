import { expect, it } from 'vitest'
import { createStartFailures } from '../../src/host/start-failures.ts'

it('at most 100 start failures with different messages are logged, so that they fill neither the log nor the memory', () => {
  const lines: object[] = []
  const write = (fields: object) => void lines.push(fields)
  const logger = { debug: write, info: write, warn: write, error: write }
  const startFailed = createStartFailures(logger, 'gatehouse')
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    startFailed(new Error(`query ${attempt} failed`))
    startFailed(new Error('query 0 failed'))
  }
  expect(lines).toHaveLength(100)
})
