import { expect, test } from 'vitest'
import { DEPLOYMENTS, storesOfRun } from './stores-of-run.ts'

test('a run takes the deployments that it is told, each once and in that order', () => {
  expect(storesOfRun('cluster-6, redis,cluster-6')).toEqual(['cluster-6', 'redis'])
  expect(storesOfRun(DEPLOYMENTS.join(','))).toEqual(DEPLOYMENTS)
})

test.each(['cluster-7', '', 'redis,', 'Redis'])('“%s” is rejected instead of tested less', (list) => {
  expect(() => storesOfRun(list)).toThrow('there are: memory, redis, redis-6, cluster')
})
