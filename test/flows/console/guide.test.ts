import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorize, CALLBACK } from '../../support/host.ts'
import type { Client } from '../../support/host-requests.ts'
import { findProgram } from '../../support/required-programs.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

const run = promisify(execFile)

const python = findProgram('python3')

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

/** The lines that a reader copies from an element of the page. */
function copied(body: string, id: string): string {
  const markup = new RegExp(`<code id="${id}"\\s*>([^]*?)</code`).exec(body)?.[1]
  if (markup === undefined) throw new Error(`the page has no element ${id}`)
  return markup.replaceAll(/&(?:quot|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity)
}

describe('the guide of a client', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  async function guideOf(base: 'api-keys' | 'applications', { client_id }: Client) {
    const page = await host.visit('acme').open(`/console/${base}/${client_id}/guide`)
    expect(page.status).toBe(200)
    return page.body
  }

  /** Runs lines in a POSIX shell. `answer` gets the first line that they print, and returns what the shell reads. */
  function runInShell(lines: string, answer: (firstLine: string) => Promise<string>): Promise<string> {
    const shell = spawn('sh', ['-c', lines], { stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    let isAnswered = false
    return new Promise((resolve, reject) => {
      shell.stdout.on('data', (data: Buffer) => {
        output += data.toString()
        const [, firstLine] = /^(.*)\n/.exec(output) ?? []
        if (firstLine === undefined || isAnswered) return
        isAnswered = true
        answer(firstLine).then((input) => shell.stdin.end(input), reject)
      })
      shell.on('error', reject)
      shell.on('close', () => resolve(output))
    })
  }

  it('the lines for a terminal get a token of an API key and call the API', async () => {
    const key = await host.createApiKey()
    const body = await guideOf('api-keys', key)
    const steps = ['secret', 'token', 'call', 'revoke', 'call']
    const lines = steps.map((step) => copied(body, `step-${step}`))
    const output = await runInShell(['echo begin', ...lines].join('\n'), async () => `${key.client_secret}\n`)
    expect(output).toContain('"access_token":')
    expect(output.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 401'])
    expect(output).toMatch(/"reached":"\/api\/invoices\/list".*\n/)
    expect(output.endsWith('\n')).toBe(true)
    expect(body).toContain(`${host.issuer}/oauth2/revoke</code`)
    expect(body).toMatch(/>429<[^]*Too many calls\. Wait as long/)
    expect(body).not.toContain(key.client_secret)
  })

  it('the lines of a command and of a program do not wrap: they are blocks with a name, which the keyboard can scroll', async () => {
    const body = await guideOf('api-keys', await host.createApiKey())
    const names = [
      ...body.matchAll(/<pre role="group" aria-label="([^"]+)" dir="ltr" tabindex="0"\s*><code/g),
    ]
    expect(names.map(([, name]) => name)).toEqual([
      'Enter the secret',
      'Get a token',
      'Call the API',
      'Revoke a token',
      'Node.js',
      'Python',
      'Go',
    ])
  })

  it('the lines for a terminal connect a user with an application, call the API, and get new tokens', async () => {
    const application = await host.createApplication()
    const body = await guideOf('applications', application)
    const steps = ['allow', 'code', 'secret', 'exchange', 'call', 'refresh', 'call', 'revoke', 'call']
    const lines = steps.map((step) => copied(body, `step-${step}`)).join('\n')
    const output = await runInShell(lines, async (address) => {
      const parameters = Object.fromEntries(new URL(address).searchParams)
      const { code } = await authorize(host, application.client_id, {
        parameters,
        browser: host.visit('alice').browser,
      })
      return `${code}\n${application.client_secret}\n`
    })
    expect(output.match(/"refresh_token":/g)).toHaveLength(2)
    expect(output.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3)
    expect(output.match(/HTTP\/1.1 401/g)).toHaveLength(1)
    expect(body).toContain('If a program answers at this address, stop it first.')
  })

  /** Runs a program as the page shows it. @param more lines after it */
  async function runProgram(body: string, language: 'Node.js' | 'Python', secret: string, more = '') {
    const [file, runtime] = language === 'Python' ? ['a.py', python ?? ''] : ['a.mjs', process.execPath]
    const folder = await mkdtemp(path.join(tmpdir(), 'program-'))
    try {
      await writeFile(path.join(folder, file), `${copied(body, `program-${language}`)}\n${more}`)
      const env = { ...process.env, CLIENT_SECRET: secret }
      return (await run(runtime, [path.join(folder, file)], { env })).stdout
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const languages = ['Node.js', ...(python === undefined ? [] : ['Python'])] as ('Node.js' | 'Python')[]

  it.each(languages)('the program in %s gets a token of an API key and calls the API', async (language) => {
    const key = await host.createApiKey()
    const body = await guideOf('api-keys', key)
    expect(await runProgram(body, language, key.client_secret)).toMatch(
      /^200 .*"reached":"\/api\/invoices\/list"/,
    )
    expect(body).not.toContain(key.client_secret)
    expect(body).not.toContain('github.com')
  })

  it.each(languages)(
    'the program in %s connects a user with an application, and gets new tokens',
    async (language) => {
      const application = await host.createApplication()
      const body = await guideOf('applications', application)
      const isPython = language === 'Python'
      const print = isPython ? 'print(json.dumps(connect()))' : 'console.log(JSON.stringify(connect()))'
      const session = await runProgram(body, language, application.client_secret, print)
      const [address, state, verifier] = JSON.parse(session) as [string, string, string]
      const { code, callback } = await authorize(host, application.client_id, {
        parameters: Object.fromEntries(new URL(address).searchParams),
        browser: host.visit('bob').browser,
      })
      expect(callback.searchParams.get('state')).toBe(state)
      const call = `finish(${JSON.stringify(code)}, ${JSON.stringify(verifier)})`
      const again = isPython
        ? `print(json.dumps(refresh(${call}["refresh_token"])))`
        : `console.log(JSON.stringify(await refresh((await ${call}).refresh_token)))`
      const tokens = JSON.parse(await runProgram(body, language, application.client_secret, again)) as object
      expect(tokens).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) })
    },
  )

  it('the guide links to the documentation of the host, and to no other', async () => {
    const documented = await startConsole({
      store: memoryStore(),
      console: { documentationUrl: 'https://docs.example.com/api' },
    })
    try {
      const { client_id } = await documented.createApiKey()
      const { body } = await documented.visit('acme').open(`/console/api-keys/${client_id}/guide`)
      expect(body).toMatch(/href="https:\/\/docs\.example\.com\/api"[^>]*>Documentation of/)
    } finally {
      await documented.close()
    }
  })

  it('the examples contain only what the developer of an application may request at the KYC level', async () => {
    const application = await host.createApplication({ accountId: 'alice' })
    const { body } = await host.visit('alice').open(`/console/applications/${application.client_id}/guide`)
    expect(copied(body, 'step-allow')).toContain('scope=invoices%3Aread+invoices%3Acreate+payments%3Alist&')
    expect(body).not.toContain('payments:transfer')
  })

  it('a redirect URI with quotes stays one word of the shell', async () => {
    const redirectUri = `http://localhost:9/it's?a=$HOME`
    const application = await host.createApplication({ redirectUris: [redirectUri] })
    const body = await guideOf('applications', application)
    const { stdout } = await run('sh', ['-c', copied(body, 'step-allow')])
    expect(new URL(stdout.trim()).searchParams.get('redirect_uri')).toBe(redirectUri)
    expect(copied(body, 'step-exchange')).toContain(
      String.raw`'redirect_uri=http://localhost:9/it'\''s?a=$HOME'`,
    )
  })

  it('a client without operations, and an application without a redirect URI, get the next step instead', async () => {
    const key = await host.createApiKey([])
    const keyGuide = await guideOf('api-keys', key)
    expect(keyGuide).toContain('There is nothing to call yet')
    expect(keyGuide).toContain(`href="/console/api-keys/${key.client_id}"`)
    const application = await host.createApplication({ redirectUris: [] })
    const guide = await guideOf('applications', application)
    expect(guide).toContain('There is no redirect URI yet')
    expect(guide).toContain(`href="/console/applications/${application.client_id}/settings"`)
    expect(guide).not.toContain(CALLBACK)
  })
})
