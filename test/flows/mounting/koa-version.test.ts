// Also runs on: Koa 2
import Koa from 'koa'
import { expect, it } from 'vitest'

// The tests of this folder run in two Vitest projects, one for each major version of Koa.
// Only Koa 3 has `ctx.response.back()`, so this method shows the version.
it('the tests in test/flows/mounting run on the major version of Koa that TEST_KOA names', () => {
  const version = 'back' in new Koa().response ? '3' : '2'
  expect(version).toBe(process.env['TEST_KOA'] ?? '3')
})
