import { bodyParser } from '@koa/bodyparser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedApplications } from '../../examples/server/connected-applications.ts'
import { createBrowser, type Browser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { connect, startHost, type Host } from '../support/host.ts'

let host: Host
beforeAll(async () => {
  const port = await freePort()
  host = await startHost({
    gatehouse: {
      accounts: {
        find: (id) => ({ id, kycLevel: 'verified' }),
        current: (ctx) => {
          const accountId = ctx.cookies.get('person')
          return accountId ? { accountId } : undefined
        },
        signInUrl: () => '/login',
      },
    },
    mount(app, gatehouse) {
      app.use(async (ctx, next) => {
        ctx['session'] = { accountId: ctx.cookies.get('person') }
        await next()
        if (ctx.path === '/sign-in') ctx.cookies.set('person', String(ctx.query['as']))
      })
      app.use(bodyParser())
      app.use(gatehouse.management())
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
      app.use(connectedApplications(`http://localhost:${port}`).routes())
    },
    port,
  })
})
afterAll(() => host.close())

/** A browser in which a person is signed in at the host. */
async function browserOf(person?: string): Promise<Browser> {
  const browser = createBrowser({ follow: [host.origin] })
  if (person !== undefined) await browser.open(`${host.origin}/sign-in?as=${person}`)
  return browser
}

test('users see the grants that they have allowed, and revoke a grant with one click', async () => {
  const [ledger, other] = [
    await host.createApplication(),
    await host.createApplication({ name: 'Other <b>' }),
  ]
  const parameters = { scope: 'invoices:read' }
  const browser = await browserOf('alice')
  const tokens = await connect(host, ledger, { parameters, browser })
  const kept = await connect(host, other, { parameters, browser })
  const page = await browser.open(`${host.origin}/applications`)
  expect(page.body).toContain('<h2>Ledger</h2>')
  expect(page.body).toContain(`name="clientId" value="${ledger.client_id}"`)
  expect(page.body).toContain('<p>Read your invoices</p>')
  expect(page.body).toContain('<h2>Other &lt;b&gt;</h2>')

  const after = await browser.submit(page, {
    action: /disconnect$/,
    change: { clientId: ledger.client_id },
  })
  expect(after.url.pathname).toBe('/applications')
  expect(after.body).not.toContain('<h2>Ledger</h2>')
  expect(after.body).toContain('<h2>Other &lt;b&gt;</h2>')
  expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(401)
  expect((await host.call('GET /invoices/list', kept.access_token)).status).toBe(200)
})

test('users can neither see nor revoke the grants of other users', async () => {
  const client = await host.createApplication({ name: 'Of Alice' })
  const tokens = await connect(host, client, { browser: await browserOf('alice') })

  const bob = await browserOf('bob')
  expect((await bob.open(`${host.origin}/applications`)).body).toContain(
    'No application can act on your account.',
  )
  const signedOut = await browserOf()
  expect((await signedOut.open(`${host.origin}/applications`)).url.pathname).toBe('/login')
  for (const cookie of ['person=bob', '']) {
    const answer = await host.post(
      `${host.origin}/applications/disconnect`,
      { clientId: client.client_id },
      { cookie },
    )
    expect(answer.status).toBe(303)
  }
  expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
})
