import { afterEach, expect, it } from 'vitest'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Provider } from 'oidc-provider'
import { collectOutput, complaintsIn } from '../../support/complaints.ts'
import { startHost } from '../../support/host.ts'
import { journey } from './journey.ts'

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

it('complaintsIn() finds the warnings of oidc-provider in the output of another process', async () => {
  const program = `import('oidc-provider').then(({ Provider }) => {
    const { Grant } = new Provider('http://localhost:9')
    return new Grant({ accountId: 'alice', clientId: 'ledger' }).save()
  })`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', program])
  expect(complaintsIn(stdout)).toContainEqual(expect.stringMatching(/NOTICE/))
  expect(complaintsIn(stderr)).toContainEqual(expect.stringMatching(/WARNING/))
  expect(complaintsIn('oidc-provider WARNING: Unsupported runtime. Use Node.js v22.x LTS')).toEqual([])
})

it('collectOutput() finds the warnings of Node', async () => {
  output = collectOutput()
  process.emitWarning('this is deprecated', 'DeprecationWarning')
  await new Promise(setImmediate)
  expect(output.complaints()).toEqual(['DeprecationWarning: this is deprecated'])
})

it('a gatehouse prints no warning from construction to close', async () => {
  output = collectOutput()
  const host = await startHost()
  await journey(host)
  await host.close()
  expect(output.complaints()).toEqual([])
})
