import Koa from 'koa'
import { expect, it } from 'vitest'

// These tests run in two projects of the test runner. `ctx.response.back()` exists in Koa 3 only, so it shows the
// version.
it('the tests of mounting run on the major version of Koa that their project names', () => {
  const version = 'back' in new Koa().response ? '3' : '2'
  expect(version).toBe(process.env['TEST_KOA'] ?? '3')
})
