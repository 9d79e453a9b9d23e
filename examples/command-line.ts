/**
 * A program on the computer of its user, such as a command line or a desktop app. The user approves it in the browser, which
 * returns to a port of this computer (RFC 8252 7.3). The program is a public application: it has no secret.
 *
 *     node build/examples/command-line.js ISSUER API CLIENT_ID
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as oauth from 'openid-client'

const [issuer = '', api = '', clientId = ''] = process.argv.slice(2)
const config = await oauth.discovery(new URL(issuer), clientId, undefined, oauth.None(), {
  // The library rejects plain http by default. Here it is permitted for localhost.
  execute: issuer.startsWith('http://localhost') ? [oauth.allowInsecureRequests] : [],
})

// The system chooses a free port. The application has the redirect URI http://127.0.0.1/callback, which allows every port.
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = Object(server.address())
const redirectUri = `http://127.0.0.1:${port}/callback`

const state = oauth.randomState()
const codeVerifier = oauth.randomPKCECodeVerifier()
const url = oauth.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope: 'invoices:read',
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
  code_challenge_method: 'S256',
})
console.log(`Open this address in your browser:\n\n${url.href}\n`)

// Every program and every page can send a request to this port, so only the request with our `state` counts.
const callback = await new Promise<URL>((resolve) => {
  server.on('request', (request, response) => {
    const address = new URL(request.url ?? '/', redirectUri)
    const isOurs = address.pathname === '/callback' && address.searchParams.get('state') === state
    response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' })
    response.end(isOurs ? 'Go back to the terminal. You can close this page.' : 'Not found')
    if (isOurs) resolve(address)
  })
})
server.close()

try {
  let tokens = await oauth.authorizationCodeGrant(config, callback, {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  })
  await printInvoices(tokens.access_token)

  // The access token lives an hour. A refresh token works once, and the answer has the next one. A program that runs again
  // keeps it in the keychain of the system.
  tokens = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')
  console.log(`New tokens, valid for ${tokens.expires_in} s.`)
  await printInvoices(tokens.access_token)

  // This example does not run again, so it revokes its tokens.
  await oauth.tokenRevocation(config, tokens.refresh_token ?? '')
  console.log('The tokens are revoked.')
} catch (error) {
  if (!(error instanceof oauth.AuthorizationResponseError)) throw error
  console.log(`The access was not approved: ${error.error}`)
  process.exitCode = 1
}

async function printInvoices(token: string): Promise<void> {
  const response = await fetch(`${api}/invoices/list`, { headers: { authorization: `Bearer ${token}` } })
  console.log(response.status, await response.text())
}
