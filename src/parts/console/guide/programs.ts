import type { GuideValues } from './guide-values.ts'

const NODE = `async function requestTokens(parameters) {
  const client = { client_id: '{clientId}', client_secret: process.env.CLIENT_SECRET }
  const body = new URLSearchParams({ ...client, ...parameters })
  const response = await fetch('{tokenAddress}', { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}
`
const PYTHON = `import json, os
from urllib import parse, request

def request_tokens(**parameters):
    client = {"client_id": "{clientId}", "client_secret": os.environ["CLIENT_SECRET"]}
    body = parse.urlencode({**client, **parameters}).encode()
    return json.load(request.urlopen("{tokenAddress}", body))
`
const PROGRAMS = {
  apiKey: {
    'Node.js': `${NODE}
const { access_token } = await requestTokens({ grant_type: 'client_credentials' })
const headers = { authorization: 'Bearer ' + access_token }
const response = await fetch('{readAddress}', { headers })
console.log(response.status, await response.text())`,
    Python: `${PYTHON}
token = request_tokens(grant_type="client_credentials")
headers = {"Authorization": "Bearer " + token["access_token"]}
call = request.Request("{readAddress}", headers=headers)
response = request.urlopen(call)
print(response.status, response.read().decode())`,
    Go: `package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID: "{clientId}", ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL: "{tokenAddress}",
	}
	response, err := config.Client(context.Background()).Get("{readAddress}")
	if err != nil {
		panic(err)
	}
	io.Copy(os.Stdout, response.Body)
}`,
  },
  application: {
    'Node.js': `import { createHash, randomBytes } from 'node:crypto'

${NODE}
// Send the browser to the address. Keep the state and the verifier in the session of the user.
export function connect() {
  const [state, verifier] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const request = '{authorizationRequest}'
  return [request + '&state=' + state + '&code_challenge=' + challenge, state, verifier]
}
// When the browser returns: first compare its parameter state with the state in the session.
export const finish = (code, code_verifier) =>
  requestTokens({ grant_type: 'authorization_code', code, redirect_uri: '{redirectUri}', code_verifier })
// Store the new refresh token at once, because the old one is no longer valid.
export const refresh = (refresh_token) => requestTokens({ grant_type: 'refresh_token', refresh_token })`,
    Python: `import base64, hashlib, secrets
${PYTHON}
# Send the browser to the address. Keep the state and the verifier in the session of the user.
def connect():
    state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    digest = hashlib.sha256(verifier.encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    address = "{authorizationRequest}"
    return address + "&state=" + state + "&code_challenge=" + challenge, state, verifier
# When the browser returns: first compare its parameter state with the state in the session.
def finish(code, verifier):
    proof = {"redirect_uri": "{redirectUri}", "code_verifier": verifier}
    return request_tokens(grant_type="authorization_code", code=code, **proof)
# Store the new refresh token at once, because the old one is no longer valid.
def refresh(refresh_token):
    return request_tokens(grant_type="refresh_token", refresh_token=refresh_token)`,
    Go: `package main

import (
	"context"
	"os"

	"golang.org/x/oauth2"
)

var config = oauth2.Config{
	ClientID: "{clientId}", ClientSecret: os.Getenv("CLIENT_SECRET"),
	RedirectURL: "{redirectUri}", Scopes: []string{"{scope}"},
	Endpoint: oauth2.Endpoint{AuthURL: "{authorizationAddress}", TokenURL: "{tokenAddress}", AuthStyle: oauth2.AuthStyleInParams},
}

// Send the browser to the address. Keep the state and the verifier in the session of the user.
func connect() (address, state, verifier string) {
	state, verifier = oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	return config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state, verifier
}
// When the browser returns: first compare its parameter state with the state in the session.
// config.TokenSource refreshes the token. Store each new token at once.
func finish(ctx context.Context, code, verifier string) (*oauth2.Token, error) {
	return config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
}`,
  },
}

/** What a client without a secret leaves out. */
const SECRET = /, "?client_secret"?: [^ }]+| ClientSecret: os\.Getenv\("CLIENT_SECRET"\),|\t"os"\n/g

/** Complete programs with the values of the client, by language. Go needs golang.org/x/oauth2, the others nothing. */
export function programsFor(
  values: Readonly<Record<string, unknown>> & Pick<GuideValues, 'kind' | 'hasSecret' | 'audience'>,
): (readonly [language: string, program: string])[] {
  return Object.entries(PROGRAMS[values.kind]).map(([language, program]) => {
    const own = values.hasSecret ? program : program.replaceAll(SECRET, '')
    const fill = (_: string, mark: string, name: string) => {
      const text = JSON.stringify(values[name] ?? values.audience).slice(1, -1)
      return mark + (mark === "'" ? text.replaceAll("'", String.raw`\'`) : text)
    }
    return [language, own.replaceAll(/(["'])\{(\w+)\}/g, fill)]
  })
}
