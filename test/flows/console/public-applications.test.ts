import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { authorize } from '../../support/host.ts'
import { connectPublic, createPublicApplication, LOOPBACK } from '../../support/public-application.ts'
import { copyTextOf, textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'

describe('public applications in the console', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    const gatehouse = { publicApplications: true, privateKeyJwt: true }
    host = await startConsole({ store: memoryStore(), gatehouse })
  })
  afterAll(() => host.close())

  const open = (clientId: string, below = '') =>
    host.visit('acme').open(`/console/applications/${clientId}${below}`)

  it('the form asks where the application runs, and a public one gets no secret and works', async () => {
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/applications/new')
    expect(textOf(form.body)).toContain('Where does it run? On a server It gets a secret')
    expect(textOf(form.body)).toContain('such as com.example.app:/callback')
    expect(form.body).toMatch(/value="server"\s+checked/)
    const page = await visitor.submit(form, 'create', {
      name: 'Ledger for phones',
      kind: 'public',
      product: ['invoices'],
      operation: ['invoices invoices:read'],
      redirectUris: `${LOOPBACK}\ncom.example.ledger:/callback`,
    })
    expect([page.status, page.url.searchParams.get('done')]).toEqual([200, 'donePublicCreated'])
    const clientId = page.url.pathname.split('/').at(-1) ?? ''
    expect(await host.gatehouse.applications.find(clientId)).toMatchObject({
      isPublic: true,
      redirectUris: [LOOPBACK, 'com.example.ledger:/callback'],
    })
    const tokens = await connectPublic(host, clientId, { browser: host.visit('alice').browser })
    expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
  })

  it('the page of a public application says what it is, and offers no secret, no key and no report', async () => {
    const id = await createPublicApplication(host, { origins: ['http://localhost:5173'] })
    const page = await open(id)
    expect(textOf(page.body)).toContain('it has no secret, and uses PKCE instead')
    expect(textOf(page.body)).toContain('Public Active')
    expect(textOf(page.body)).toContain('Origins http://localhost:5173')
    expect(page.body).not.toContain('/secrets"')
    for (const below of ['/secrets', '/report-compromised', '?confirm=rotateSecret', '?confirm=addKey']) {
      expect([below, (await open(id, below)).status]).toEqual([below, 404])
    }
    expect(textOf((await open(id, '/hand-over')).body)).not.toContain('Its secrets keep working')
    expect(textOf((await host.visit('acme').open('/console/applications')).body)).toContain('Public')
    const operatorPath = `/console/operator/clients/${id}`
    const shown = await host.visit('root').open(operatorPath)
    expect(textOf(shown.body)).toContain('it has no secret, and uses PKCE instead')
    const { body } = await host.visit('root').open(`${operatorPath}/settings`)
    expect(body).not.toContain('confirm=reportCompromised')
    expect(body).toContain('confirm=revokeTokens')
  })

  it('the settings of a public application have its origins, and those of other applications do not', async () => {
    const visitor = host.visit('acme')
    const id = await createPublicApplication(host)
    const page = await open(id, '/settings')
    expect(textOf(page.body)).toContain('only the port on 127.0.0.1, [::1] and localhost may differ')
    const rejected = await visitor.submit(page, 'save', { origins: 'https://app.example.com/path' })
    expect([rejected.status, textOf(rejected.body)]).toEqual([
      422,
      expect.stringContaining('https://app.example.com'),
    ])
    const saved = await visitor.submit(page, 'save', {
      origins: 'https://app.example.com\r\n\r\nhttp://localhost:5173\r\n',
    })
    expect(saved.status).toBe(200)
    expect((await host.gatehouse.applications.find(id))?.origins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ])
    expect(textOf((await open(id, '/activity')).body)).toContain('Changed: origins')
    const { client_id: other } = await host.createApplication()
    expect((await open(other, '/settings')).body).not.toContain('name="origins"')
  })

  it('a shell that runs the lines of the guide connects a user, refreshes and revokes, without a secret', async () => {
    const id = await createPublicApplication(host, { products: ['invoices'] })
    const guide = await open(id, '/guide')
    expect(guide.body).not.toContain('CLIENT_SECRET')
    expect(copyTextOf(guide, 'program-Node.js')).toContain(`const client = { client_id: '${id}' }`)
    expect(textOf(guide.body)).toContain('none : the application has no secret.')
    const steps = ['allow', 'code', 'exchange', 'call', 'refresh', 'call', 'revoke', 'call']
    const lines = steps.map((step) => copyTextOf(guide, `step-${step}`)).join('\n')
    const shell = spawn('sh', ['-c', lines], { stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    for await (const data of shell.stdout) {
      const isFirst = output === ''
      output += String(data)
      if (!isFirst) continue
      const parameters = Object.fromEntries(new URL(output.split('\n')[0] ?? '').searchParams)
      const { code } = await authorize(host, id, { parameters, browser: host.visit('alice').browser })
      shell.stdin.end(`${code}\n`)
    }
    expect(output.match(/"refresh_token":/g)).toHaveLength(2)
    expect(output.match(/HTTP\/1.1 \d+/g)).toEqual([200, 200, 200, 401].map((status) => `HTTP/1.1 ${status}`))
  })

  it('an operator who ends all secrets of an account with a public application gets no error', async () => {
    const { application } = await host.gatehouse.applications.create({
      accountId: 'bob',
      name: 'Ledger',
      isPublic: true,
    })
    const { apiKey } = await host.gatehouse.apiKeys.create({ accountId: 'bob', name: 'Export' })
    const visitor = host.visit('root')
    const page = await visitor.open('/console/operator/accounts/bob/revoke')
    const done = await visitor.submit(page, 'revokeAll', { endSecrets: 'yes' })
    expect([done.status, textOf(done.body)]).toEqual([
      200,
      expect.stringContaining('1 API key or application was reported as leaked.'),
    ])
    expect(await host.gatehouse.apiKeys.listSecrets(apiKey.clientId)).toEqual([])
    expect(await host.gatehouse.applications.find(application.clientId)).toBeDefined()
  })
})

describe('the console without the option publicApplications', () => {
  it('the form does not ask where the application runs, and a form that says “public” creates nothing', async () => {
    const host = await startConsole({ store: memoryStore() })
    const visitor = host.visit('acme')
    const form = await visitor.open('/console/applications/new')
    expect(form.body).not.toMatch(/name="kind"|com\.example\.app/)
    const fields = { name: 'X', kind: 'public', product: ['invoices'] }
    expect((await visitor.submit(form, 'create', fields)).status).toBe(422)
    expect((await host.gatehouse.applications.listByOwner('acme')).items).toEqual([])
    await host.close()
  })
})
