import Koa from 'koa'
import { expect, it } from 'vitest'

// The same tests run in two projects of the test runner. That the one is really another Koa is seen by what is new in 3.
it('these tests run on the major version of Koa that their project names', () => {
  const version = 'back' in new Koa().response ? '3' : '2'
  expect(version).toBe(process.env['TEST_KOA'] ?? '3')
})
