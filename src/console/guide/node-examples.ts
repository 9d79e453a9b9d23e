import { quoted, scopeText, type GuideValues } from './guide-values.ts'

/** The line that installs what the example imports. */
export const NODE_INSTALL = 'npm install openid-client'

/** The lines that both kinds of clients begin with. */
function begin({ issuer, clientId }: GuideValues): string {
  // openid-client accepts plain http only if the program says so.
  const options = issuer.startsWith('http:') ? ', undefined, { execute: [client.allowInsecureRequests] }' : ''
  return `import * as client from "openid-client"

const config = await client.discovery(
  new URL(${quoted(issuer)}),
  ${quoted(clientId)},
  process.env.CLIENT_SECRET${options},
)
`
}

/** A program for an API key, with openid-client 6. */
export function nodeForKey(values: GuideValues): string {
  const { readAddress } = values
  const call =
    readAddress === undefined
      ? 'console.log(tokens.scope)'
      : `const response = await fetch(${quoted(readAddress)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})
console.log(response.status, await response.text())`
  return `${begin(values)}
// Keep the token until tokens.expiresIn() is 0.
const tokens = await client.clientCredentialsGrant(config)
${call}
`
}

/** Functions for an application, with openid-client 6. */
export function nodeForApplication(values: GuideValues, redirectUri: string): string {
  const { readAddress } = values
  const call =
    readAddress === undefined
      ? ''
      : `
export function callApi(tokens) {
  return fetch(${quoted(readAddress)}, {
    headers: { authorization: \`Bearer \${tokens.access_token}\` },
  })
}
`
  return `${begin(values)}
// Redirect the browser of the user to url. Keep state and codeVerifier in the session of the user.
export async function connect() {
  const state = client.randomState()
  const codeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: ${quoted(redirectUri)},
    scope: ${quoted(scopeText(values))},
    state,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  })
  return { url, state, codeVerifier }
}

// Call this at the redirect URI, with the whole address of the request. Keep the tokens for this user.
export function finish(address, { state, codeVerifier }) {
  return client.authorizationCodeGrant(config, new URL(address), {
    expectedState: state,
    pkceCodeVerifier: codeVerifier,
  })
}
${call}
// Call this after a 401. Keep the new tokens: the old refresh token is no longer valid.
export function refresh(tokens) {
  return client.refreshTokenGrant(config, tokens.refresh_token)
}
`
}
