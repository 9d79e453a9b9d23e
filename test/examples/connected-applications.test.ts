import { bodyParser } from '@koa/bodyparser'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectedApplications } from '../../examples/server/connected-applications.ts'
import { createBrowser } from '../support/browser.ts'
import { connect, startHost, type Host } from '../support/host.ts'

let host: Host
let signedIn: string | undefined
beforeAll(async () => {
  host = await startHost({
    mount(app, gatehouse) {
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware())
      app.use((ctx, next) => {
        ctx['session'] = { accountId: signedIn }
        return next()
      })
      app.use(bodyParser())
      app.use(connectedApplications(gatehouse).routes())
    },
  })
})
afterAll(() => host.close())

const browser = () => createBrowser({ follow: [host.origin] })

test('users see the grants that they have allowed, and revoke a grant with one click', async () => {
  const [ledger, other] = [
    await host.createApplication(),
    await host.createApplication({ name: 'Other <b>' }),
  ]
  const parameters = { scope: 'invoices:read' }
  const tokens = await connect(host, ledger, { parameters })
  const kept = await connect(host, other, { parameters })
  signedIn = 'alice'
  const page = await browser().open(`${host.origin}/applications`)
  expect(page.body).toContain('<h2>Ledger</h2>')
  expect(page.body).toContain(`name="clientId" value="${ledger.client_id}"`)
  expect(page.body).toContain('<p>Read your invoices</p>')
  expect(page.body).toContain('<h2>Other &lt;b&gt;</h2>')

  const after = await browser().submit(page, {
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
  const { client_id, client_secret } = await host.createApplication({ name: 'Of Alice' })
  const tokens = await connect(host, { client_id, client_secret })
  const disconnect = () => host.post(`${host.origin}/applications/disconnect`, { clientId: client_id })

  signedIn = 'bob'
  expect((await browser().open(`${host.origin}/applications`)).body).toContain(
    'No application can act on your account.',
  )
  expect((await disconnect()).status).toBe(303)
  signedIn = undefined
  expect((await browser().open(`${host.origin}/applications`)).url.pathname).toBe('/login')
  expect((await disconnect()).status).toBe(303)
  expect((await host.call('GET /invoices/list', tokens.access_token)).status).toBe(200)
})
