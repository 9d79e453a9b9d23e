import { quoted, scopeText, type GuideValues } from './guide-values.ts'

/** The line that installs what the example imports. */
export const PYTHON_INSTALL = 'pip install authlib requests'

const IMPORTS = `import os

from authlib.integrations.requests_client import OAuth2Session
`

/** A program for an API key, with Authlib. */
export function pythonForKey(values: GuideValues): string {
  const { clientId, tokenAddress, readAddress } = values
  const call =
    readAddress === undefined
      ? 'print(session.token["scope"])'
      : `response = session.get(${quoted(readAddress)})
print(response.status_code, response.text)`
  return `${IMPORTS}
# The session gets a new token when the old one has expired.
session = OAuth2Session(
    ${quoted(clientId)},
    os.environ["CLIENT_SECRET"],
    token_endpoint=${quoted(tokenAddress)},
    token_endpoint_auth_method="client_secret_post",
    grant_type="client_credentials",
)
session.fetch_token()
${call}
`
}

/** Functions for an application, with Authlib. */
export function pythonForApplication(values: GuideValues, redirectUri: string): string {
  const { clientId, authorizationAddress, tokenAddress, readAddress } = values
  const call =
    readAddress === undefined
      ? ''
      : `

def call_api(token, save_token):
    # The session refreshes an expired token, and calls save_token(token, **details) with the new one.
    session = new_session(token=token, update_token=save_token)
    return session.get(${quoted(readAddress)})
`
  return `${IMPORTS}from authlib.common.security import generate_token


def new_session(**options):
    return OAuth2Session(
        ${quoted(clientId)},
        os.environ["CLIENT_SECRET"],
        scope=${quoted(scopeText(values))},
        redirect_uri=${quoted(redirectUri)},
        token_endpoint=${quoted(tokenAddress)},
        token_endpoint_auth_method="client_secret_post",
        code_challenge_method="S256",
        **options,
    )


def connect():
    # Redirect the browser of the user to url. Keep state and code_verifier in the session of the user.
    code_verifier = generate_token(48)
    url, state = new_session().create_authorization_url(
        ${quoted(authorizationAddress)}, code_verifier=code_verifier
    )
    return url, state, code_verifier


def finish(address, state, code_verifier):
    # Call this at the redirect URI, with the whole address of the request. Keep the token for this user.
    return new_session(state=state).fetch_token(
        authorization_response=address, code_verifier=code_verifier
    )
${call}`
}
