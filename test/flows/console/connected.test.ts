import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { connect } from '../../support/host.ts'
import { textOf } from './markup.ts'
import { startConsole, type ConsoleHost } from './setup.ts'
import { createConsole } from '../../../src/console.ts'

const PATH = '/console/connected-applications'

/** The cards of a page, as text without markup. */
function cardsOf(body: string): string[] {
  return [...body.matchAll(/<li class="panel">([^]*?confirm=disconnect[^]*?)<\/a/g)].map(([, card = '']) =>
    textOf(card),
  )
}

describe('connected applications', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({ store: memoryStore() })
  })
  afterAll(() => host.close())

  it('a user sees each connected application once, in words, and disconnecting it revokes its tokens at once', async () => {
    const visitor = host.visit('alice')
    const empty = await visitor.open(PATH)
    expect(empty.status).toBe(200)
    expect(textOf(empty.body)).toContain('No connected applications')

    const ledger = await host.createApplication({
      name: 'Ledger',
      homepageUri: 'https://ledger.example/start',
      privacyUri: 'https://ledger.example/privacy',
    })
    const other = await host.createApplication({ name: 'Other' })
    const scope = (text: string) => ({ browser: visitor.browser, parameters: { scope: text } })
    const first = await connect(host, ledger, scope('openid email invoices:read'))
    const second = await connect(host, ledger, scope('payments:transfer'))
    const kept = await connect(host, other, scope('invoices:read'))

    const page = await visitor.open(PATH)
    const cards = cardsOf(page.body)
    expect(cards).toHaveLength(2)
    const card = cards.find((each) => each.includes('Ledger')) ?? ''
    expect(card).toContain('by Acme Ltd')
    expect(card).toContain('ledger.example')
    expect(card).toContain('Disconnect Ledger')
    const text = textOf(page.body)
    for (const words of [
      'Move money Sensitive',
      'Read your invoices',
      'Know who you are',
      'See your email address',
    ]) {
      expect(text).toContain(words)
    }
    expect(text).toMatch(/Connected since \w+ \d+, \d{4} · last used \w+ \d+, \d{4}/)
    expect(page.body).toContain('href="https://ledger.example/privacy" target="_blank"')
    expect(page.body).not.toContain('invoices:read')

    const after = await visitor.submit(page, 'disconnect', { application: ledger.client_id })
    expect(after.status).toBe(200)
    expect(after.url.pathname).toBe(PATH)
    expect(textOf(after.body)).toContain('Ledger is disconnected. It can no longer act for you.')
    expect(cardsOf(after.body).join()).not.toContain('Ledger')
    for (const { access_token } of [first, second]) {
      expect((await host.call('GET /invoices/list', access_token)).status).toBe(401)
    }
    expect((await host.refresh(ledger, second.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await host.call('GET /invoices/list', kept.access_token)).status).toBe(200)

    const again = await visitor.submit(page, 'disconnect', { application: ledger.client_id })
    expect(textOf(again.body)).toContain('Ledger is disconnected.')
  })

  it('a user of an account sees and disconnects only what this user has authorized', async () => {
    const application = await host.createApplication({ name: 'Shared' })
    const mine = host.visit('acme/mia')
    const yours = host.visit('acme/yuri')
    const scope = { scope: 'invoices:read' }
    const ofMia = await connect(host, application, { browser: mine.browser, parameters: scope })
    const ofYuri = await connect(host, application, { browser: yours.browser, parameters: scope })
    expect(cardsOf((await host.visit('acme/zoe').open(PATH)).body)).toEqual([])
    const whole = host.visit('acme')
    expect(cardsOf((await whole.open(PATH)).body)).toHaveLength(1)

    const page = await mine.open(PATH)
    expect(cardsOf(page.body)).toHaveLength(1)
    await mine.submit(page, 'disconnect', { application: application.client_id })
    expect((await host.call('GET /invoices/list', ofMia.access_token)).status).toBe(401)
    expect((await host.call('GET /invoices/list', ofYuri.access_token)).status).toBe(200)

    await whole.submit(await whole.open(PATH), 'disconnect', { application: application.client_id })
    expect((await host.call('GET /invoices/list', ofYuri.access_token)).status).toBe(401)
  })

  it('a deleted application is listed without a name, and can be disconnected', async () => {
    const visitor = host.visit('bob')
    const application = await host.createApplication({ name: 'Short-lived' })
    await connect(host, application, { browser: visitor.browser, parameters: { scope: 'invoices:read' } })
    await host.gatehouse.applications.delete(application.client_id)
    const page = await visitor.open(PATH)
    expect(textOf(page.body)).toContain('Unknown application')
    expect(textOf(page.body)).toContain(application.client_id)
    expect(page.body).not.toContain('Short-lived')
    const after = await visitor.submit(page, 'disconnect', { application: application.client_id })
    expect(textOf(after.body)).toContain('The deleted application is disconnected.')
    expect(textOf(after.body)).toContain('No connected applications')
  })
})

describe('connected applications in detail', () => {
  let host: ConsoleHost
  beforeAll(async () => {
    host = await startConsole({
      store: memoryStore(),
      accounts: {
        can: (ctx, permission) => permission !== 'authorizations:revoke' || !ctx.get('x-read-only'),
      },
    })
  })
  afterAll(() => host.close())

  async function connected(person: string, overrides: object = {}) {
    const visitor = host.visit(person)
    const application = await host.createApplication(overrides)
    const parameters = { scope: 'invoices:read' }
    const tokens = await connect(host, application, { browser: visitor.browser, parameters })
    return { visitor, application, tokens }
  }

  it('a page allows the pictures of its logos, and no other origins', async () => {
    const logoUri = 'https://pictures.example/logo.png'
    const { visitor } = await connected('acme/ines', { logoUri })
    const { headers, body } = await visitor.open(PATH)
    expect(headers.get('content-security-policy')).toContain(`img-src 'self' https://pictures.example;`)
    expect(body).toContain(`src="${logoUri}"`)
  })

  it('users open the page in the settings of the host, without the other parts', async () => {
    const embedded = await startConsole({
      store: memoryStore(),
      mount: (app, gatehouse) =>
        app.use(createConsole(gatehouse).connectedApplications({ path: '/account/apps' })),
    })
    const visitor = embedded.visit('alice')
    const application = await embedded.createApplication({ name: 'Ledger' })
    await connect(embedded, application, { browser: visitor.browser, parameters: { scope: 'invoices:read' } })
    const page = await visitor.open('/account/apps')
    // Users are no developers.
    expect(page.body).toContain('<title>Connected applications · localhost</title>')
    expect(page.body).not.toContain('Developer console')
    expect(page.body).not.toContain('<nav class="nav"')
    const after = await visitor.submit(page, 'disconnect', { application: application.client_id })
    expect(after.url.pathname).toBe('/account/apps')
    expect(textOf(after.body)).toContain('Ledger is disconnected.')
    await embedded.close()
  })
})
