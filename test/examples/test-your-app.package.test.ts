import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { mintToken } from 'koa-gatehouse/testing'
import supertest from 'supertest'
import { afterAll, expect, it } from 'vitest'

// In your project, this part is the module of your app, without app.listen().
const gatehouse = createGatehouse({
  issuer: 'http://localhost:3000/auth',
  audience: 'http://localhost:3000/api',
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

const request = supertest(app.callback())
afterAll(() => gatehouse.close())

it('a token with the scope reads the invoices of its account', async () => {
  const token = await mintToken(gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
  const response = await request.get('/api/invoices/list').auth(token, { type: 'bearer' })
  expect(response.status).toBe(200)
  expect(response.body).toEqual({ invoices: [], account: 'alice' })
})

it('a token without the scope gets 403', async () => {
  const token = await mintToken(gatehouse, { accountId: 'alice', scopes: ['invoices:read'] })
  const response = await request.post('/api/invoices/create').auth(token, { type: 'bearer' })
  expect(response.status).toBe(403)
  expect(response.body.error).toBe('insufficient_scope')
})

it('a call without a token, or with an expired one, gets 401', async () => {
  const scopes = ['invoices:read'] as const
  const expired = await mintToken(gatehouse, { accountId: 'alice', scopes, expiresIn: -60 })
  expect((await request.get('/api/invoices/list')).status).toBe(401)
  expect((await request.get('/api/invoices/list').auth(expired, { type: 'bearer' })).status).toBe(401)
})

it('an API key gets a token that works until the key is disabled', async () => {
  const { apiKey, clientSecret } = await gatehouse.apiKeys.create({
    accountId: 'acme',
    name: 'Key for a test',
    products: ['invoices'],
  })
  const { clientId } = apiKey
  const { body } = await request
    .post('/auth/oauth2/token')
    .auth(clientId, clientSecret)
    .type('form')
    .send({ grant_type: 'client_credentials' })
  const readInvoices = () => request.get('/api/invoices/list').auth(body.access_token, { type: 'bearer' })
  expect((await readInvoices()).body.account).toBe('acme')

  await gatehouse.apiKeys.disable(clientId)
  expect((await readInvoices()).status).toBe(401)
})
