import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { storeContract } from '../../src/testing/store-contract.ts'
import { describeEachDeployment } from '../support/stores.ts'

/** Redis counts to the millisecond and lets a key live to the end of the last one. */
const elapse = (seconds: number) => delay(seconds * 1000 + 50)

describeEachDeployment('the store keeps the contract', (deploy) => {
  const data = randomUUID()
  describe.concurrent('', () => {
    for (const { name, run } of storeContract({ createStore: () => deploy(data), elapse })) test(name, run)
  })
})
