import Koa from 'koa'
import { expect, it } from 'vitest'

// The tests of this folder run in two projects of the test runner, one for each major version of Koa.
// `ctx.response.back()` exists only in Koa 3, so it shows the version.
it('the tests of mounting run on the major version of Koa that their project names', () => {
  const version = 'back' in new Koa().response ? '3' : '2'
  expect(version).toBe(process.env['TEST_KOA'] ?? '3')
})
