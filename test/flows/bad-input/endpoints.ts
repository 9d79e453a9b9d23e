import { basic, type Client } from '../../support/host-requests.ts'
import { authorizationUrl, authorize, CALLBACK, connect, signInAs, type Host } from '../../support/host.ts'
import type { Browser } from '../../support/browser.ts'

/** An endpoint with a valid request. */
export interface Endpoint {
  readonly name: string
  /** The path below the issuer. */
  readonly path: string
  readonly methods: readonly string[]
  /** The status of the response to a request with the first of `methods` and with `parameters`. */
  readonly status: number
  /** The parameters of a valid request. A GET has them in the query, and a POST has them in the form. */
  readonly parameters: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether the responses are public documents that may be cached. */
  readonly isPublic?: boolean | undefined
  /** Whether the endpoint may answer with HTML pages even if the client is not a browser. */
  readonly isPage?: boolean | undefined
}

/** The endpoints, the secrets that no response may contain, and two clients of the host. */
export interface Prepared {
  readonly endpoints: readonly Endpoint[]
  readonly secrets: readonly string[]
  readonly application: Client
  readonly key: Client
}

/** Lists every endpoint of a host, each with a valid request. */
export async function prepareEndpoints(host: Host): Promise<Prepared> {
  const key = await host.createApiKey()
  await host.gatehouse.apiKeys.setResourceServer(key.client_id, true)
  const postLogout = 'https://ledger.example/bye'
  const application = await host.createApplication({ postLogoutRedirectUris: [postLogout] })
  const scope = 'openid profile invoices:read'
  const tokens = await connect(host, application, { parameters: { scope } })
  const { code } = await authorize(host, application.client_id, { parameters: { scope } })
  const signIn = await interaction(host, application.client_id)
  const pending = await interaction(host, application.client_id)
  const consent = await interaction(host, application.client_id, 'alice')
  const signOut = host.browser()
  await authorize(host, application.client_id, { browser: signOut })
  const signOutPage = await signOut.open(`${host.issuer}/oauth2/logout`)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(signOutPage.body)?.[1] ?? ''

  const authorization = Object.fromEntries(authorizationUrl(host, application.client_id).searchParams)
  const extras = {
    nonce: 'n',
    prompt: 'login',
    max_age: '10',
    ui_locales: 'de en',
    login_hint: 'alice',
    display: 'page',
    acr_values: 'a',
    scope,
    code_challenge: 'E9Melhoa2OwvFrEMTJGuCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    response_mode: 'query',
    resource: host.audience,
    claims_locales: 'de',
  }
  const logout = {
    client_id: application.client_id,
    post_logout_redirect_uri: postLogout,
    state: 's',
    ui_locales: 'de',
    logout_hint: 'alice',
    id_token_hint: String(tokens.id_token),
  }
  const [GET, POST, BOTH] = [['GET', 'HEAD'], ['POST'], ['GET', 'HEAD', 'POST']]
  const at = (
    name: string,
    status: number,
    path: string,
    methods: readonly string[],
    parameters: Endpoint['parameters'],
    more: Partial<Endpoint> = {},
  ): Endpoint => ({ name, status, path, methods, parameters, ...more })
  const page = { isPage: true }
  const isPublic = true
  const [token, bearer] = ['/oauth2/token', { authorization: `Bearer ${tokens.access_token}` }]
  const resource = host.audience
  const direct = { ...key, grant_type: 'client_credentials', scope: 'invoices:read', resource }
  const exchange = { redirect_uri: CALLBACK, code_verifier: 'v'.repeat(43), resource }
  const ofCode = { ...application, grant_type: 'authorization_code', code, ...exchange }
  const refresh = { grant_type: 'refresh_token', refresh_token: 'x', scope: 'invoices:read', resource }
  const named = { ...application, token: 'x', token_type_hint: 'access_token' }
  const confirm = { cookie: cookieOf(signOut, new URL(`${host.issuer}/oauth2/logout/confirm`).pathname) }
  const ofSignIn = { ...page, headers: { cookie: signIn.cookie } }
  const ofConsent = { ...page, headers: { cookie: consent.cookie } }
  const ofPending = { ...page, headers: { cookie: pending.resumeCookie } }
  const [interactionOf, waiting] = [`/interaction/${consent.uid}`, `/interaction/${signIn.uid}`]
  const password = { csrf: 'x', identifier: 'alice', password: 'wrong' }
  const approval = { csrf: 'x', action: 'approve', scope: 'invoices:read' }
  const endpoints = [
    at('authorization', 303, '/oauth2/authorize', BOTH, { ...authorization, ...extras }, page),
    at('pending authorization request', 303, `/oauth2/authorize/${pending.uid}`, GET, {}, ofPending),
    at('unknown authorization request', 400, '/oauth2/authorize/unknown', GET, {}, page),
    at('token, client credentials', 200, token, POST, direct),
    at('token, authorization code', 400, token, POST, ofCode),
    at('token, refresh token', 400, token, POST, { ...application, ...refresh }),
    at('user info', 200, '/oauth2/userinfo', BOTH, { scope: 'openid' }, { headers: bearer }),
    at('user info, token in the form', 200, '/oauth2/userinfo', ['POST', 'GET', 'HEAD'], {
      access_token: tokens.access_token,
    }),
    at('revocation', 200, '/oauth2/revoke', POST, named),
    at('introspection', 200, '/oauth2/introspect', POST, named),
    at('revocations', 200, '/oauth2/revocations', GET, { cursor: 'x' }, { headers: basic(key) }),
    at('key set', 200, '/oauth2/jwks', GET, {}, { isPublic }),
    at('OpenID configuration', 200, '/.well-known/openid-configuration', GET, {}, { isPublic }),
    at('metadata below the issuer', 200, '/.well-known/oauth-authorization-server', GET, {}, { isPublic }),
    at('sign-out', 303, '/oauth2/logout', BOTH, logout, page),
    at(
      'confirmed sign-out',
      400,
      '/oauth2/logout/confirm',
      POST,
      { xsrf: 'x', logout: 'yes' },
      {
        ...page,
        headers: confirm,
      },
    ),
    at('signed out', 200, '/oauth2/logout/success', GET, { client_id: application.client_id }, page),
    at('interaction', 200, waiting, GET, {}, ofSignIn),
    at('unknown interaction', 404, '/interaction/unknown', GET, {}, page),
    at('sign-in form', 403, `${waiting}/sign-in`, POST, password, ofSignIn),
    at('consent form', 403, `${interactionOf}/consent`, POST, approval, ofConsent),
    at('form to switch accounts', 403, `${interactionOf}/switch`, POST, { csrf: 'x' }, ofConsent),
  ]
  const secrets = [
    key.client_secret,
    application.client_secret,
    code,
    tokens.access_token,
    tokens.refresh_token,
    xsrf,
    ...[signIn, pending, consent].map(({ cookie }) => cookie.split(';')[0] ?? ''),
  ]
  return { endpoints, secrets: secrets.map(String).filter((secret) => secret.length > 8), application, key }
}

/** Starts an interaction that waits for a sign-in, or for the consent of `user`. */
async function interaction(host: Host, clientId: string, user?: string) {
  const browser = host.browser()
  const page = await browser.open(authorizationUrl(host, clientId))
  const waiting = user === undefined ? page : await signInAs(browser, page, user)
  const uid = waiting.url.pathname.split('/').at(-1) ?? ''
  const resume = new URL(`${host.issuer}/oauth2/authorize/${uid}`).pathname
  return { uid, cookie: cookieOf(browser, waiting.url.pathname), resumeCookie: cookieOf(browser, resume) }
}

/** The cookies that a browser sends to a path. */
function cookieOf(browser: Browser, pathname: string): string {
  return [...browser.cookies]
    .filter(([, { path }]) => pathname.startsWith(path))
    .map(([key, { value }]) => `${key.split('|')[0]}=${value}`)
    .join('; ')
}
