import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect } from '../../support/host.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('the overview', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())
  const open = async (person: string) => host.visit(person).get('/console')

  it('an account without anything sees what to do first, and its level', async () => {
    const { status, body } = await open('alice')
    expect(status).toBe(200)
    const text = textOf(body)
    expect(text).toContain('What do you want to do?')
    expect(text).toContain('Verification level: basic')
    expect(text).not.toContain('Latest activity')
    for (const path of [
      '/console/api-keys/new',
      '/console/applications/new',
      '/console/connected-applications',
    ]) {
      expect(body).toContain(`class="button" href="${path}"`)
    }
  })

  it('an account sees its newest clients and connections with links, and its latest activity', async () => {
    for (const name of ['First key', 'Second key', 'Third key', 'Fourth key']) {
      await host.gatehouse.apiKeys.create({ accountId: 'acme', name })
    }
    const application = await host.createApplication({ accountId: 'bob', name: 'Tax helper' })
    await connect(host, application, { browser: host.visit('acme').browser })
    const { body } = await open('acme')
    const text = textOf(body)
    expect(text).toMatch(/Fourth key.*Third key.*Second key.*4 in total/)
    expect(text).not.toMatch(/First key.*4 in total/)
    expect(text).toMatch(/Tax helper.*1 in total/)
    expect(text).toContain('Application allowed to use the account')
    expect(text.match(/UTC/g)).toHaveLength(5)
    expect(body).toContain('href="/console/activity"')
    expect(body).toMatch(/href="\/console\/api-keys\/key_/)
    expect(textOf((await open('bob')).body)).not.toContain('Fourth key')
  })
})

describe('what the overview shows', () => {
  it('a caller sees only what the host permits, and no button for what it denies', async () => {
    const allowed = new Set<string>()
    const host = await startConsole({
      store: memoryStore(),
      accounts: { can: (_ctx, permission) => allowed.has(permission) },
    })
    await host.gatehouse.apiKeys.create({ accountId: 'acme', name: 'Hidden key' })
    const open = async () => (await host.visit('acme').get('/console')).body
    expect(await open()).not.toMatch(/Hidden key|api-keys\/|Latest activity/)
    allowed.add('keys:read').add('applications:read')
    const body = await open()
    expect(body).toContain('Hidden key')
    expect(body).not.toMatch(/Latest activity|applications\/new/)
    expect(textOf(body)).toContain('ask an admin of your account. Inspect a token')
    allowed.add('keys:create')
    expect(textOf(await open())).not.toContain('ask an admin')
    await host.close()
  })
})
