import { spawnSync } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startHost, type Host } from '../support/host.ts'
import { runToEnd, temporaryFolder } from '../support/package-copy.ts'
import { findProgram } from '../support/required-programs.ts'

/** A Python that has the packages of the program; undefined if there is none. */
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import jwt, cryptography, requests']).status === 0,
)
const root = path.resolve(import.meta.dirname, '../..')

describe.skipIf(findProgram('openssl') === undefined)('docs/keys-instead-of-secrets.md', () => {
  let host: Host
  let folder: string
  let remove: () => Promise<void>
  beforeAll(async () => {
    host = await startHost({ store: memoryStore(), gatehouse: { privateKeyJwt: true } })
    ;({ folder, remove } = await temporaryFolder('keys'))
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  })
  afterAll(async () => {
    await host.close()
    await remove()
  })

  it('the commands make a key pair, and with the private key the programs get a token and call the API', async () => {
    const page = await readFile(path.join(root, 'docs/keys-instead-of-secrets.md'), 'utf8')
    const codeBelow = (heading: string) =>
      (new RegExp(`^##+ ${heading}$[^]*?^\`\`\`\\w+\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '')
        .replaceAll('https://example.com/auth', host.issuer)
        .replaceAll('https://example.com/api', host.audience)
        .replace('// On plain http, for a trial: ', '')
    await runToEnd(folder, 'bash', ['-ec', codeBelow('Make a key pair')])
    const { apiKey } = await host.gatehouse.apiKeys.create({
      accountId: 'acme',
      name: 'Nightly export',
      products: ['invoices'],
      jwks: { keys: [await readFile(path.join(folder, 'public.pem'), 'utf8')] },
    })

    await writeFile(path.join(folder, 'program.mjs'), codeBelow('Get a token'))
    await writeFile(path.join(folder, 'program.py'), codeBelow('The same in Python'))
    const commands = [`${process.execPath} program.mjs`, ...(python ? [`${python} program.py`] : [])]
    for (const command of commands) {
      const output = await runToEnd(folder, 'bash', ['-c', command], { CLIENT_ID: apiKey.clientId })
      expect(output).toMatch(/^200 .*"reached":"\/api\/invoices\/list"/)
    }
  })
})
