import { afterEach, expect, it } from 'vitest'
import { Provider } from 'oidc-provider'
import { collectOutput } from '../../support/complaints.ts'

// Other tests use `collectOutput()` to check that no warning is printed. The tests in this file show that
// `collectOutput()` finds warnings.

let output: ReturnType<typeof collectOutput> | undefined
afterEach(() => output?.stop())

it('collectOutput() finds the warnings of oidc-provider about its defaults', async () => {
  output = collectOutput()
  const { Grant } = new Provider('http://localhost:9')
  await new Grant({ accountId: 'alice', clientId: 'ledger' }).save()
  expect(output.complaints()).toContainEqual(expect.stringMatching(/^oidc-provider WARNING: /))
  expect(output.complaints()).toContainEqual(expect.stringMatching(/^oidc-provider NOTICE: /))
})

it('collectOutput() finds the warnings of Node', () => {
  output = collectOutput()
  // No Error, because Node prints those into the output of the test run.
  process.emit('warning', { name: 'DeprecationWarning', message: 'this is deprecated' })
  expect(output.complaints()).toEqual(['DeprecationWarning: this is deprecated'])
})
