import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { migratePostgres, postgresStore } from 'koa-gatehouse/adapters/postgres'
import session from 'koa-session'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://localhost:${port}`

// The data of the app. A real app has a database, with hashes of passwords.
const passwords = new Map([
  ['alice', 'wonderland'],
  ['acme', 'for developers'],
])
const invoices = [{ accountId: 'alice', customer: 'Mad Hatter Teas', amount: 420 }]

// New: the data of gatehouse is in the PostgreSQL of the app, if DATABASE_URL names one. Otherwise it is in memory.
const connectionString = process.env.DATABASE_URL
const pool = connectionString ? new (await import('pg')).default.Pool({ connectionString }) : undefined
if (pool) await migratePostgres({ pool })

// New: the authorization server and the gateway.
const gatehouse = createGatehouse({
  issuer: `${origin}/auth`,
  audience: `${origin}/api`,
  store: pool ? postgresStore({ pool }) : memoryStore(),
  // Only the store in memory needs none.
  secret: process.env.GATEHOUSE_SECRET,
  products: {
    invoices: {
      title: 'Invoices',
      operations: {
        'invoices:read': { route: 'GET /invoices', title: 'Read your invoices' },
        'invoices:create': { route: 'POST /invoices', title: 'Create invoices' },
      },
    },
  },
  accounts: {
    find: (accountId) => passwords.has(accountId) && { id: accountId },
    current: ({ session }) =>
      session?.accountId && { accountId: session.accountId, signedInAt: session.signedInAt },
    signInUrl: (returnTo) => `/login?next=${encodeURIComponent(returnTo.href)}`,
    signOut(ctx) {
      ctx.session = null
    },
  },
  logger: {
    debug() {},
    info: (details, message) => console.info(message, ...Object.entries(details).flat()),
    warn: (details, message) => console.warn(message, ...Object.entries(details).flat()),
    error: (details, message) => console.error(message, ...Object.entries(details).flat()),
  },
})

// The pages of the app, with its sign-in and its front end.
const pages = new Router()
  .get('/', (ctx) => {
    ctx.body = ctx.session?.accountId
      ? `<form method="post" action="/logout"><button>Sign out</button></form>
         <script>fetch('/api/invoices').then((answer) => answer.text()).then((text) => document.body.append(text))</script>`
      : '<a href="/login">Sign in</a>'
  })
  .get('/login', (ctx) => {
    ctx.body = `<form method="post"><input name="username"><input name="password" type="password">
      <button>Sign in</button></form>`
  })
  .post('/login', (ctx) => {
    const { username, password } = Object(ctx.request.body)
    if (!password || passwords.get(username) !== password) ctx.throw(401, 'Unknown name or wrong password')
    ctx.session = { accountId: username, signedInAt: Math.floor(Date.now() / 1000) }
    // New: the browser returns to the authorization server, and to no other address.
    const next = String(ctx.query.next)
    ctx.redirect(next.startsWith(`${origin}/auth/`) ? next : '/')
  })
  .post('/logout', (ctx) => {
    ctx.session = null
    ctx.redirect('/')
  })
  // New, only for this example: the address to which a partner's server gets the code.
  .get('/partner/callback', (ctx) => {
    ctx.body = `CODE=${String(ctx.query.code)}`
  })

// The API of the app.
const api = new Router({ prefix: '/api' })
  .use(async (ctx, next) => {
    // New: a partner's call has a token. A call of the front end has a session, as before.
    ctx.state.accountId = ctx.state.auth?.accountId ?? ctx.session?.accountId
    if (!ctx.state.accountId) ctx.throw(401)
    await next()
  })
  .get('/invoices', (ctx) => {
    ctx.body = invoices.filter(({ accountId }) => accountId === ctx.state.accountId)
  })
  .post('/invoices', (ctx) => {
    const { customer, amount } = Object(ctx.request.body)
    invoices.push({ accountId: ctx.state.accountId, customer: String(customer), amount: Number(amount) })
    ctx.status = 201
  })
  .get('/profile', (ctx) => {
    ctx.body = { accountId: ctx.state.accountId }
  })

const sessionKey = process.env.SESSION_KEY || (process.env.NODE_ENV === 'production' ? '' : 'for trials only')
// With a key that others know, everybody can forge a session of every user.
if (sessionKey === '')
  throw new Error('set SESSION_KEY to a secret, such as the output of: openssl rand -base64 48')
const app = new Koa()
app.keys = [sessionKey]
app.use(session({ sameSite: 'lax' }, app))
app.use(bodyParser())
// New: below the session, above the routes.
app.use(gatehouse.middleware())
app.use(gatehouse.gateway.middleware({ optional: ['GET /invoices', 'POST /invoices'], unclaimed: 'pass' }))
app.use(pages.routes())
app.use(api.routes())
app.listen(port)

// New: a partner's application, as a developer console would create it.
const { application, clientSecret } = await gatehouse.applications.create({
  accountId: 'acme',
  name: 'Tallybook',
  products: ['invoices'],
  redirectUris: [`${origin}/partner/callback`],
})

console.log(`Open in a browser, and sign in as alice with the password wonderland:
${origin}/auth/oauth2/authorize?response_type=code&client_id=${application.clientId}&scope=openid+invoices:read

Paste the CODE=… that the browser shows into a terminal, and within a minute:
TOKEN=$(curl -s ${origin}/auth/oauth2/token -u ${application.clientId}:${clientSecret} -d grant_type=authorization_code -d code=$CODE |
  node -p 'JSON.parse(fs.readFileSync(0)).access_token')
curl -i ${origin}/api/invoices -H "authorization: Bearer $TOKEN"; echo          # 200
curl -i -X POST ${origin}/api/invoices -H "authorization: Bearer $TOKEN"; echo  # 403`)
