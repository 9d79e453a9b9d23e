import { expect, it } from 'vitest'
import { DEPLOYMENTS, storesOfRun } from './stores-of-run.ts'

it('a test run uses the deployments that TEST_STORES names, each once, in the order of TEST_STORES', () => {
  expect(storesOfRun('cluster-6, redis,cluster-6')).toEqual(['cluster-6', 'redis'])
  expect(storesOfRun(DEPLOYMENTS.join(','))).toEqual(DEPLOYMENTS)
})

it.each(['cluster-7', '', 'redis,', 'Redis'])(
  'TEST_STORES=“%s” is rejected, so that a typing error does not skip tests',
  (list) => {
    expect(() => storesOfRun(list)).toThrow('there are: memory, redis, redis-6, cluster')
  },
)
