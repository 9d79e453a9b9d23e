import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'

const port = Number(process.env.PORT ?? 3000)
const origin = `http://localhost:${port}`
const gatehouse = createGatehouse({
  issuer: `${origin}/auth`,
  audience: `${origin}/api`,
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

console.log(`TOKEN=$(curl -s ${origin}/auth/oauth2/token -u ${apiKey.clientId}:${clientSecret} -d grant_type=client_credentials |
  node -p 'JSON.parse(fs.readFileSync(0)).access_token')
curl -i ${origin}/api/invoices/list -H "authorization: Bearer $TOKEN"; echo            # 200
curl -i -X POST ${origin}/api/invoices/create -H "authorization: Bearer $TOKEN"; echo  # 403`)
