/**
 * `npm start`: a host that has grown an API platform, and a third party that uses it.
 *
 * The host is an ordinary Koa app: its own pages, its own session, its own body parser, an API with data per
 * account. The gatehouse is the two `app.use` lines in `createHost`, and what `createGatehouse` is told.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import { createGatehouse, GatehouseError } from 'koa-gatehouse'
import session from 'koa-session'
import { createPartnerApp } from './partner-app.ts'
import { findAccount } from './server/accounts.ts'
import { api } from './server/api.ts'
import { provideDemoClients } from './server/demo-clients.ts'
import { listen, stopListening } from './server/listening.ts'
import { products } from './server/products.ts'
import { readSettings } from './server/settings.ts'
import { StartError } from './server/start-error.ts'
import { openStore } from './server/store.ts'
import { instructions } from './server/terminal.ts'
import { pageHeaders, signedInAccount, website } from './server/website.ts'

async function start(): Promise<void> {
  const settings = readSettings()
  const origin = `http://localhost:${settings.port}`
  const partnerOrigin = `http://localhost:${settings.partnerPort}`
  const { store, close: closeStore } = await openStore(settings.redisUrl)

  const gatehouse = createGatehouse({
    issuer: `${origin}/auth`,
    audience: `${origin}/api`,
    secret: settings.secret,
    store,
    kycLevels: ['none', 'basic', 'verified'],
    products,
    accounts: {
      find(accountId) {
        const account = findAccount(accountId)
        if (!account) return undefined
        const { id, kycLevel, name, email } = account
        return { id, kycLevel, claims: { name, email, email_verified: true } }
      },
      current(ctx) {
        const account = signedInAccount(ctx)
        return account && { accountId: account.id, signedInAt: ctx.session?.signedInAt }
      },
      signInUrl(returnTo, _ctx, { reauthenticate }) {
        const next = encodeURIComponent(returnTo.pathname + returnTo.search)
        return `/login?next=${next}${reauthenticate ? '&again=1' : ''}`
      },
      signOut(ctx) {
        ctx.session = null
      },
    },
    branding: { name: 'Harbour Ledger', accentColor: '#0f5e8c' },
    logger: { debug() {}, info() {}, warn: (_details, text) => console.warn(text), error: console.error },
  })

  const app = new Koa()
  app.keys = [sessionKey(settings.secret)]
  app.use(session({ key: 'harbour.session', sameSite: 'lax' }, app))
  app.use(pageHeaders)
  app.use(bodyParser())
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware({ public: ['GET /health'] }))
  app.use(api.routes())
  app.use(website(origin).routes())

  const server = await listen(app, settings.port, 'PORT')
  await gatehouse.ready()
  const { apiKey, application } = await provideDemoClients(gatehouse, partnerOrigin)
  const partnerApp = createPartnerApp(
    { issuer: `${origin}/auth`, api: `${origin}/api`, ...application },
    partnerOrigin,
  )
  const partnerServer = await listen(partnerApp, settings.partnerPort, 'PARTNER_PORT')
  console.log(instructions({ origin, partnerOrigin, apiKey, forgets: settings.redisUrl === undefined }))

  async function stop(): Promise<void> {
    await Promise.all([stopListening(server), stopListening(partnerServer)])
    await gatehouse.close()
    closeStore()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}

/** The key of the host's session cookies: as long-lived as the host's secret. */
function sessionKey(secret: string | undefined): string {
  return secret === undefined
    ? randomBytes(32).toString('base64url')
    : createHmac('sha256', secret).update('session cookies of the example host').digest('base64url')
}

try {
  await start()
} catch (error) {
  // What the person in front of it can change is one line; anything else is a bug, with its stack.
  const readable = error instanceof StartError || error instanceof GatehouseError
  console.error(readable ? error.message : error)
  process.exit(1)
}
