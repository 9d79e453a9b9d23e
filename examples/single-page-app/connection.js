// How a page without a backend gets tokens at Harbour Ledger: as a public application, which has no secret. `oauth4webapi`
// makes and checks all OAuth messages.
import * as oauth from 'oauth4webapi'

const { issuer, api, clientId } = await (await fetch('/settings.json')).json()
const redirectUri = `${location.origin}/`
const client = { client_id: clientId }
/** The library rejects plain http by default. Here it is permitted for localhost. */
const options = { [oauth.allowInsecureRequests]: issuer.startsWith('http://localhost') }
const server = await oauth
  .discoveryRequest(new URL(issuer), options)
  .then((response) => oauth.processDiscoveryResponse(new URL(issuer), response))

// sessionStorage belongs to one tab. A reload keeps the tokens, and closing the tab removes them. Another tab has tokens of
// its own, so two tabs do not use the same refresh token. A foreign script in this page could use the tokens wherever they
// are: the Content-Security-Policy of the page keeps foreign scripts out.

/** @returns {{ access_token: string, refresh_token: string, expires_in: number } | undefined} */
export const readTokens = () => JSON.parse(sessionStorage.getItem('tokens') ?? 'null') ?? undefined

/** @param {oauth.TokenEndpointResponse} tokens */
const keepTokens = (tokens) => sessionStorage.setItem('tokens', JSON.stringify(tokens))

export const forgetTokens = () => sessionStorage.removeItem('tokens')

/** Sends the user to the service. */
export async function signIn() {
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  sessionStorage.setItem('pending', JSON.stringify({ state, verifier }))
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid profile invoices:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  location.assign(url)
}

/** Exchanges the code with which the user has returned. */
export async function finishSignIn() {
  const address = new URL(location.href)
  const pending = sessionStorage.getItem('pending')
  sessionStorage.removeItem('pending')
  // The code does not stay in the address bar and in the history.
  history.replaceState(null, '', redirectUri)
  if (pending === null) throw new Error('This sign-in was not started in this tab.')
  const { state, verifier } = JSON.parse(pending)
  const answer = oauth.validateAuthResponse(server, client, address, state)
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    options,
  )
  keepTokens(await oauth.processAuthorizationCodeResponse(server, client, response))
}

/** @type {Promise<void> | undefined} */
let refreshing

/** Gets new tokens. A refresh token works once, so calls at the same time share one refresh. */
export function refresh() {
  refreshing ??= exchangeRefreshToken().finally(() => (refreshing = undefined))
  return refreshing
}

async function exchangeRefreshToken() {
  const token = readTokens()?.refresh_token ?? ''
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options)
  keepTokens(await oauth.processRefreshTokenResponse(server, client, response))
}

/**
 * Calls the API. If the access token has expired, refreshes it once.
 *
 * @param {string} path
 */
export async function callApi(path) {
  const send = () => fetch(api + path, { headers: { authorization: `Bearer ${readTokens()?.access_token}` } })
  const response = await send()
  if (response.status !== 401) return response
  await refresh()
  return send()
}

/** The user's name, from the user info endpoint. */
export async function readName() {
  const token = readTokens()?.access_token ?? ''
  const response = await oauth.userInfoRequest(server, client, token, options)
  const { name } = await oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, response)
  return name
}

/** Revokes all tokens of this sign-in. The user may still be signed in at the service itself. */
export async function signOut() {
  const token = readTokens()?.refresh_token ?? ''
  const response = await oauth.revocationRequest(server, client, oauth.None(), token, options)
  await oauth.processRevocationResponse(response)
  forgetTokens()
}
