/**
 * An API key without a secret: its program signs with a private key, which never leaves the program (`private_key_jwt`, RFC
 * 7523). The service has only the public key.
 */
import Koa from 'koa'
import { createGatehouse } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import * as oauth from 'openid-client'

// The host: `privateKeyJwt` is the only option that this needs.
const port = Number(process.env.PORT ?? 3000)
const gatehouse = createGatehouse({
  issuer: `http://localhost:${port}/auth`,
  audience: `http://localhost:${port}/api`,
  store: memoryStore(),
  privateKeyJwt: true,
  products: {
    invoices: {
      title: 'Invoices',
      operations: { 'invoices:read': { route: 'GET /invoices/list', title: 'Read your invoices' } },
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
const server = app.listen(port)

// The developer: makes a key pair, and gives the public key to the host. Here the private key cannot even be exported.
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
const { apiKey } = await gatehouse.apiKeys.create({
  accountId: 'acme',
  name: 'Nightly export',
  products: ['invoices'],
  jwks: { keys: [await crypto.subtle.exportKey('jwk', publicKey)] },
})

// The program: signs an assertion for each token request.
const config = await oauth.discovery(
  new URL(`http://localhost:${port}/auth`),
  apiKey.clientId,
  undefined,
  oauth.PrivateKeyJwt(privateKey),
  { execute: [oauth.allowInsecureRequests] }, // for localhost only
)
const tokens = await oauth.clientCredentialsGrant(config)
const response = await fetch(`http://localhost:${port}/api/invoices/list`, {
  headers: { authorization: `Bearer ${tokens.access_token}` },
})
console.log(response.status, await response.text())

server.close()
server.closeAllConnections()
await gatehouse.close()
