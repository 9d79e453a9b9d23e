// Also runs on: Redis
import { randomUUID } from 'node:crypto'
import { describe, it } from 'vitest'
import { storeContract } from '../../src/testing/store-contract.ts'
import { describeEachDeployment } from '../support/stores.ts'
import { elapse } from './real-time.ts'

describeEachDeployment('the store contract on every deployment', (deploy) => {
  const data = randomUUID()
  describe.concurrent('', () => {
    for (const { name, run } of storeContract({ createStore: () => deploy(data), elapse })) it(name, run)
  })
})
