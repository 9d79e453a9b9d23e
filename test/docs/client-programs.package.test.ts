import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorize, CALLBACK, startHost, type Host } from '../support/host.ts'
import type { Client } from '../support/host-requests.ts'
import { findProgram } from '../support/required-programs.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const python = findProgram('python3')

describe('the programs in docs/client-programs.md', () => {
  let host: Host
  let folder: string
  let page: string
  beforeAll(async () => {
    host = await startHost({ store: memoryStore() })
    folder = await mkdtemp(path.join(tmpdir(), 'programs-'))
    await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
    page = await readFile(path.join(root, 'docs/client-programs.md'), 'utf8')
  })
  afterAll(async () => {
    await host.close()
    await rm(folder, { recursive: true })
  })

  /** The program below a heading, with the addresses of the test host. */
  function programBelow(heading: string): string {
    const [, below = ''] = page.split(`### ${heading}\n`)
    const code = /^\n```\w+\n([^]*?)^```$/m.exec(below)?.[1]
    if (code === undefined) throw new Error(`there is no program below “${heading}”`)
    return code
      .replaceAll('https://example.com/auth', host.issuer)
      .replaceAll('https://example.com/api', host.audience)
      .replaceAll('https://partner.example/callback', CALLBACK)
      .replace('// On plain http, for a trial: ', '')
  }

  async function runNode(name: string, text: string, client: Client, args: string[] = []) {
    await writeFile(path.join(folder, name), text)
    const env = { ...process.env, CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret }
    const { stdout } = await run(process.execPath, [path.join(folder, name), ...args], { env })
    return stdout
  }

  it('the Node.js program gets a token of an API key and calls the API', async () => {
    const output = await runNode('key.mjs', programBelow('Node.js: API key'), await host.createApiKey())
    expect(output).toMatch(/^200 .*"reached":"\/api\/invoices\/list"/)
  })

  it('the Node.js functions connect a user with an application, call the API, and get new tokens', async () => {
    const application = await host.createApplication()
    await writeFile(path.join(folder, 'application.mjs'), programBelow('Node.js: application'))
    const driver = `import { callApi, connect, finish, refresh } from './application.mjs'
      const [address, session] = process.argv.slice(2)
      if (address === undefined) console.log(JSON.stringify(await connect()))
      else {
        const tokens = await refresh(await finish(address, JSON.parse(session)))
        console.log((await callApi(tokens)).status)
      }`
    const session = JSON.parse(await runNode('driver.mjs', driver, application)) as { url: string }
    const { callback } = await authorize(host, application.client_id, {
      parameters: Object.fromEntries(new URL(session.url).searchParams),
      user: 'bob',
    })
    const output = await runNode('driver.mjs', driver, application, [callback.href, JSON.stringify(session)])
    expect(output.trim()).toBe('200')
  })

  it.skipIf(python === undefined)('the Python programs are valid Python', async () => {
    const files = await Promise.all(
      ['API key', 'application'].map(async (kind, index) => {
        const file = path.join(folder, `program_${index}.py`)
        await writeFile(file, programBelow(`Python: ${kind}`))
        return file
      }),
    )
    await run(python ?? '', ['-m', 'py_compile', ...files])
  })

  it.each(['API key', 'application'])('there is a Go program for an %s', (kind) => {
    expect(programBelow(`Go: ${kind}`)).toMatch(/^package \w+\n/)
  })
})
