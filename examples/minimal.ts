import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'

const port = Number(process.env.PORT ?? 3000)
const gatehouse = createGatehouse({
  issuer: `http://localhost:${port}/auth`,
  audience: `http://localhost:${port}/api`,
  store: memoryStore(),
  products: {
    invoices: {
      title: 'Invoices',
      operations: {
        'invoices:read': { route: 'GET /invoices/list', title: 'Read your invoices' },
        'invoices:create': { route: 'POST /invoices/create', title: 'Create invoices' },
      },
    },
  },
  accounts: { find: (accountId) => ({ id: accountId }) },
})

const app = new Koa()
app.use(gatehouse.middleware())
app.use(gatehouse.gateway.middleware())
app.use((ctx) => {
  ctx.body = { invoices: [], account: ctx.state.auth?.accountId }
})
app.listen(port)
const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
  accountId: 'acme',
  name: 'My first key',
  products: ['invoices'],
  removedOperations: ['invoices:create'],
})

console.log(`\
TOKEN=$(curl -s http://localhost:${port}/auth/oauth2/token -d grant_type=client_credentials \\
  -d client_id=${apiKey.clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -iw '\\n' http://localhost:${port}/api/invoices/list -H "authorization: Bearer $TOKEN"            # 200
curl -iw '\\n' -X POST http://localhost:${port}/api/invoices/create -H "authorization: Bearer $TOKEN"  # 403`)
