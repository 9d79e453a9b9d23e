import { expect, it } from 'vitest'
import { silentLogger } from '../../../src/host/logger.ts'
import { createCallCounts } from '../../../src/parts/usage/call-counts.ts'
import { storePeriodically } from '../../../src/parts/usage/store-counts.ts'

it('closing while the store is away logs how many calls are lost, and does not promise to store them later', async () => {
  const counts = createCallCounts(Date.now)
  const warnings: unknown[] = []
  let isAway = false
  const { run, end } = storePeriodically({
    counts,
    intervalMs: 3_600_000,
    logger: { ...silentLogger, warn: (...each: unknown[]) => void warnings.push(each) },
    async send() {
      if (isAway) throw new Error('the store is away')
    },
  })
  for (let call = 0; call < 3; call += 1) counts.count('key_1', 'invoices:read', 'ok')
  await run()
  isAway = true
  for (let call = 0; call < 2; call += 1) counts.count('key_1', 'invoices:read', 'ok')
  counts.count(undefined, 'invoices:read', 'missing_token')
  await end()
  expect(warnings).toEqual([
    [expect.objectContaining({ lost: 3 }), 'the last calls could not be stored in the usage'],
  ])
})
