import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complaintsIn } from '../support/complaints.ts'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { FOREIGN } from '../support/sqlite.ts'
import { buildExamples, type BuiltExamples } from './example-process.ts'

describeWithSqlite('the example on SQLite', () => {
  let examples: BuiltExamples
  beforeAll(async () => {
    examples = await buildExamples()
    // As after `npm install better-sqlite3`.
    const installed = path.join(path.dirname(FOREIGN), 'node_modules/better-sqlite3')
    mkdirSync(path.join(examples.folder, 'build/node_modules'))
    symlinkSync(installed, path.join(examples.folder, 'build/node_modules/better-sqlite3'))
  })
  afterAll(() => examples?.remove())

  it('with SQLITE_FILE, an API key that was made at the first start gets a token at the second start', async () => {
    const environment = { SQLITE_FILE: 'data/gatehouse.db' }
    const first = await examples.start(environment)
    await first.ready()
    expect(first.stdout()).toContain('The data is in data/gatehouse.db.')
    expect(complaintsIn(first.stdout())).toEqual([])
    const developerToken = /^DEVELOPER_TOKEN=(\S+)$/m.exec(first.stdout())?.[1]
    const created = await fetch(`http://localhost:${first.port}/account/api/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${developerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'My key', products: ['invoices'] }),
    })
    const { apiKey, clientSecret } = (await created.json()) as {
      apiKey: { clientId: string }
      clientSecret: string
    }
    expect(await first.stop('SIGINT')).toBe(0)
    expect(existsSync(path.join(examples.folder, 'data/gatehouse.db'))).toBe(true)
    expect(readFileSync(path.join(examples.folder, '.env'), 'utf8')).toMatch(/^GATEHOUSE_SECRET=[\w-]{43}\n$/)

    const second = await examples.start({ ...environment, PORT: String(first.port) })
    await second.ready()
    const answer = await fetch(`http://localhost:${first.port}/auth/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: apiKey.clientId,
        client_secret: clientSecret,
      }),
    })
    expect(answer.status).toBe(200)
    expect(await second.stop('SIGTERM')).toBe(0)
  })
})

it('without SQLite, the example names the command that installs it', async () => {
  const examples = await buildExamples()
  try {
    const hasBuiltIn = Boolean(process.getBuiltinModule('node:sqlite'))
    const example = await examples.start({ SQLITE_FILE: 'data/gatehouse.db' })
    if (hasBuiltIn) return await example.ready()
    expect(await example.ended).toBe(1)
    expect(example.stderr().trim().split('\n')).toEqual([
      expect.stringContaining('npm install --no-save better-sqlite3'),
    ])
  } finally {
    await examples.remove()
  }
})
