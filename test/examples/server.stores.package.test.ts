import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complaintsIn } from '../support/complaints.ts'
import { describeWithPostgres } from '../support/describe-with-postgres.ts'
import { describeWithSqlite } from '../support/describe-with-sqlite.ts'
import { startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { FOREIGN } from '../support/sqlite.ts'
import { buildExamples, type BuiltExamples } from './example-process.ts'

let examples: BuiltExamples
beforeAll(async () => {
  examples = await buildExamples()
})
afterAll(() => examples?.remove())

/** Makes an API key with a first process, and gets a token with it from a second process. */
async function startTwice(environment: Readonly<Record<string, string>>, place: string): Promise<void> {
  const first = await examples.start(environment)
  await first.ready()
  expect(first.stdout()).toContain(place)
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
}

describe('the example without SQLite', () => {
  it('without SQLite, the example names the command that installs it', async () => {
    const example = await examples.start({ SQLITE_FILE: 'data/without.db' })
    if (process.getBuiltinModule('node:sqlite')) return example.ready()
    expect(await example.ended).toBe(1)
    expect(example.stderr().trim().split('\n')).toEqual([
      expect.stringContaining('npm install --no-save --save-dev better-sqlite3'),
    ])
  })
})

describeWithSqlite('the example on SQLite', () => {
  it('with SQLITE_FILE, an API key that was made at the first start gets a token at the second start', async () => {
    // As after `npm install better-sqlite3`.
    const packages = path.join(examples.folder, 'build/node_modules')
    mkdirSync(packages)
    const installed = path.join(path.dirname(FOREIGN), 'node_modules/better-sqlite3')
    symlinkSync(installed, path.join(packages, 'better-sqlite3'))
    await startTwice({ SQLITE_FILE: 'data/gatehouse.db' }, 'The data is in data/gatehouse.db.')
  })
})

describeWithPostgres('the example on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())

  it('with DATABASE_URL, an API key that was made at the first start gets a token at the second start', async () => {
    await startTwice({ DATABASE_URL: server.url }, 'The data is in PostgreSQL.')
  })
})
