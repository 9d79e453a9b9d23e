/**
 * `npm start`: a host with an API platform, a third party that uses it, and a single-page app that uses it.
 *
 * The host is an ordinary Koa app with its own pages, session and body parser, and an API with data per
 * account. To add gatehouse, the host needs only the options of `createGatehouse` and three `app.use` lines in
 * `start`.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import Koa from 'koa'
import { createGatehouse, GatehouseError, type Logger } from 'koa-gatehouse'
import session from 'koa-session'
import { createPartnerApp } from './partner-app.ts'
import { createSinglePageApp } from './single-page-app.ts'
import { DEVELOPER_ACCOUNT, findAccount } from './server/accounts.ts'
import { api } from './server/api.ts'
import { consoleLayout } from './server/console.ts'
import { corsOfApi } from './server/cors.ts'
import { provideDemoClients } from './server/demo-clients.ts'
import { createDeveloperToken } from './server/developer-token.ts'
import { health } from './server/health.ts'
import { listen } from './server/listening.ts'
import { provideMcpServer } from './server/mcp-server-key.ts'
import { products } from './server/products.ts'
import { providePublicApplications } from './server/public-applications.ts'
import { keepSecret, makeSecret, readSettings } from './server/settings.ts'
import { StartError } from './server/start-error.ts'
import { openApi } from './server/openapi.ts'
import { createManagementClient } from './server/management-client.ts'
import { openStore } from './server/store.ts'
import { instructions } from './server/terminal.ts'
import { pageHeaders, signedInAccount, website } from './server/website.ts'
import { createConsole } from 'koa-gatehouse/console'
import { createManagementApi } from 'koa-gatehouse/management'
import { createLimits } from 'koa-gatehouse/limits'
import { createUsage } from 'koa-gatehouse/usage'

/**
 * Logs one line for each message, and errors with all their details. A real service uses a logger such as
 * pino.
 */
const logger: Logger = {
  debug() {},
  info: (_details, text) => console.info(text),
  warn: (_details, text) => console.warn(text),
  error: console.error,
}

async function start(): Promise<void> {
  const settings = readSettings()
  const { origin, partnerOrigin, spaOrigin, mcpOrigin } = settings
  const { store, place, close: closeStore } = await openStore(settings.store)
  // The memory store needs no secret.
  const secret = settings.secret ?? (store.volatile ? undefined : makeSecret())

  const developerToken = createDeveloperToken()

  const gatehouse = createGatehouse({
    issuer: `${origin}/auth`,
    audience: `${origin}/api`,
    secret,
    store,
    kycLevels: ['none', 'basic', 'verified'],
    products,
    resources: {
      [`${mcpOrigin}/mcp`]: {
        title: 'Harbour Ledger for AI assistants',
        products: ['invoices', 'reminders'],
      },
    },
    // AI assistants of these hosts need no registration: their client id is the address of a document about them.
    clientDocuments: ['https://claude.ai/*', 'https://chatgpt.com/*', 'https://vscode.dev/*'].map((match) => {
      return { match, products: ['invoices', 'reminders'], loopback: true }
    }),
    connectedApplicationsUri: '/applications',
    publicApplications: true,
    privateKeyJwt: true,
    accounts: {
      find(accountId) {
        const account = findAccount(accountId)
        if (!account) return undefined
        const { id, kycLevel, name, email } = account
        return { id, kycLevel, claims: { name, email, email_verified: true } }
      },
      current(ctx) {
        // A browser never sends this header by itself, so `via` says that no CSRF token is needed.
        if (developerToken.isSentIn(ctx)) return { accountId: DEVELOPER_ACCOUNT, via: 'token' }
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
      isOperator: (ctx) => signedInAccount(ctx)?.isOperator ?? false,
    },
    branding: { name: 'Harbour Ledger', accentColor: '#0f5e8c' },
    logger,
  })

  // Waits until gatehouse is ready, so that a problem is shown at once. A site need not wait, because
  // mounting the middleware starts gatehouse in the background.
  await gatehouse.ready()
  if (secret !== undefined && secret !== settings.secret) keepSecret(secret)

  const app = new Koa()
  app.keys = [sessionKey(secret)]
  app.use(session({ key: 'harbour.session', sameSite: 'lax' }, app))
  app.use(pageHeaders)
  app.use(corsOfApi('/api'))
  app.use(bodyParser())
  const limits = createLimits(gatehouse, { perMinute: 120 })
  // Charts of the calls. They are at most two seconds old.
  const usage = createUsage(gatehouse, { intervalSeconds: 2 })
  app.use(createManagementApi(gatehouse, { usage, limits }))
  const developerConsole = createConsole(gatehouse, { layout: consoleLayout, usage, limits })
  app.use(developerConsole)
  app.use(developerConsole.connectedApplications({ path: '/applications' }))
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
  app.use(api.routes())
  app.use(website(origin).routes())
  app.use(health(gatehouse).routes())
  app.use(openApi(gatehouse).routes())

  const server = await listen(app, settings.port, 'PORT')
  const developer = createManagementClient({
    origin,
    credentials: { authorization: `Bearer ${developerToken.token}` },
  })
  const { apiKey, application } = await provideDemoClients(developer, partnerOrigin)
  const partnerApp = createPartnerApp(
    { issuer: `${origin}/auth`, api: `${origin}/api`, ...application },
    partnerOrigin,
  )
  const partnerServer = await listen(partnerApp, settings.partnerPort, 'PARTNER_PORT')
  const publicClients = await providePublicApplications(gatehouse, DEVELOPER_ACCOUNT, spaOrigin)
  const singlePageApp = createSinglePageApp({
    issuer: `${origin}/auth`,
    api: `${origin}/api`,
    clientId: publicClients.singlePageApp,
  })
  const mcpServer = await provideMcpServer(gatehouse, DEVELOPER_ACCOUNT, `${mcpOrigin}/mcp`)
  const spaServer = await listen(singlePageApp, settings.spaPort, 'SPA_PORT')
  console.log(
    instructions({
      origin,
      partnerOrigin,
      spaOrigin,
      apiKey,
      commandLine: publicClients.commandLine,
      mcp: { address: `${mcpOrigin}/mcp`, server: mcpServer, assistant: publicClients.assistant },
      developerToken: developerToken.token,
      place,
    }),
  )

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Ctrl+C needs no grace: a developer has no load balancer that must notice the end first.
    const options = signal === 'SIGINT' ? { graceMs: 0 } : {}
    const servers = [server, partnerServer, spaServer]
    process.once(signal, () => void gatehouse.shutdown(servers, options).then(closeStore))
  }
}

const ANOTHER_SECRET = 'In this example: set GATEHOUSE_SECRET to its previous value, or use another database'

/**
 * The key of the host's session cookies. If the host has a secret, the key is derived from the secret.
 * Otherwise the key is random.
 */
function sessionKey(secret: string | undefined): string {
  return secret === undefined
    ? randomBytes(32).toString('base64url')
    : createHmac('sha256', secret).update('session cookies of the example host').digest('base64url')
}

try {
  await start()
} catch (error) {
  // A problem that the operator can solve is printed as one line. Any other error is a bug, and is printed
  // with its stack.
  const readable = error instanceof StartError || error instanceof GatehouseError
  console.error(readable ? error.message : error)
  if (error instanceof GatehouseError && error.code === 'ERR_SECRET_MISMATCH') console.error(ANOTHER_SECRET)
  process.exit(1)
}
