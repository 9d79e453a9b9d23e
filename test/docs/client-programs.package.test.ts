import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { format } from 'oxfmt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programsFor } from '../../src/parts/console/guide/programs.ts'
import { findProgram } from '../support/required-programs.ts'

const run = promisify(execFile)
const FORMAT = { printWidth: 110, singleQuote: true, semi: false, trailingComma: 'all' } as const
const python = findProgram('python3')
const gofmt = findProgram('gofmt')
const page = path.resolve(import.meta.dirname, '../../docs/client-programs.md')

const authorizationAddress = 'https://example.com/auth/oauth2/authorize'
const redirectUri = 'https://partner.example/callback'
const scope = 'invoices:read'
const query = new URLSearchParams({
  response_type: 'code',
  client_id: 'app_1',
  redirect_uri: redirectUri,
  scope,
  code_challenge_method: 'S256',
})
const VALUES = {
  audience: 'https://example.com/api',
  tokenAddress: 'https://example.com/auth/oauth2/token',
  readAddress: 'https://example.com/api/invoices/list',
  authorizationAddress,
  authorizationRequest: `${authorizationAddress}?${query.toString()}`,
  redirectUri,
  scope,
  hasSecret: true,
}
const KINDS = [
  ['API key', { ...VALUES, kind: 'apiKey', clientId: 'key_1' }],
  ['application', { ...VALUES, kind: 'application', clientId: 'app_1' }],
] as const

describe('the programs of the guide', () => {
  let folder: string
  beforeAll(async () => (folder = await mkdtemp(path.join(tmpdir(), 'programs-'))))
  afterAll(() => rm(folder, { recursive: true }))

  it('are the programs in docs/client-programs.md', async () => {
    const text = await readFile(page, 'utf8')
    for (const [name, values] of KINDS)
      for (const [language, program] of programsFor(values)) {
        // The documents are formatted, so long lines are broken.
        const { code } = await format('a.js', program, FORMAT)
        const expected = language === 'Node.js' ? code.trimEnd() : program
        const [, below = ''] = text.split(`### ${language}: ${name}\n`)
        expect(/^\n```\w+\n([^]*?)\n```$/m.exec(below)?.[1], `${language}: ${name}`).toBe(expected)
      }
  })

  it('are valid, also with quotation marks in a value, and without a secret they do not ask for one', async () => {
    const quoted = { redirectUri: `https://partner.example/it's?a="b"` }
    const isPublic = { ...VALUES, kind: 'application', clientId: 'app_1', hasSecret: false } as const
    const all = [...KINDS.map(([, values]) => values), { ...KINDS[1][1], ...quoted }, isPublic]
    for (const [index, values] of all.entries())
      for (const [language, program] of programsFor(values)) {
        const [command, ...args] = CHECKS[language] ?? []
        const file = path.join(folder, `${index}.${language === 'Node.js' ? 'mjs' : language}`)
        await writeFile(file, program)
        if (command !== undefined) await run(command, [...args, file])
        expect(program.includes('SECRET'), language).toBe(values.hasSecret)
        if (!values.hasSecret) expect(program).not.toContain('\t"os"')
      }
  })
})

/** How each language checks a file, if it is installed. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  'Node.js': [process.execPath, '--check'],
  ...(python !== undefined && { Python: [python, '-m', 'py_compile'] }),
  ...(gofmt !== undefined && { Go: [gofmt, '-e'] }),
}
