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
  const page = { isPage: true }
  const endpoints: Endpoint[] = [
    {
      name: 'authorization',
      status: 303,
      path: '/oauth2/authorize',
      methods: ['GET', 'HEAD', 'POST'],
      parameters: { ...authorization, ...extras },
      ...page,
    },
    {
      name: 'pending authorization request',
      status: 303,
      path: `/oauth2/authorize/${pending.uid}`,
      methods: ['GET', 'HEAD'],
      parameters: {},
      headers: { cookie: pending.resumeCookie },
      ...page,
    },
    {
      name: 'unknown authorization request',
      status: 400,
      path: '/oauth2/authorize/unknown',
      methods: ['GET', 'HEAD'],
      parameters: {},
      ...page,
    },
    {
      name: 'token, client credentials',
      status: 200,
      path: '/oauth2/token',
      methods: ['POST'],
      parameters: {
        ...key,
        grant_type: 'client_credentials',
        scope: 'invoices:read',
        resource: host.audience,
      },
    },
    {
      name: 'token, authorization code',
      status: 400,
      path: '/oauth2/token',
      methods: ['POST'],
      parameters: {
        ...application,
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: 'v'.repeat(43),
        resource: host.audience,
      },
    },
    {
      name: 'token, refresh token',
      status: 400,
      path: '/oauth2/token',
      methods: ['POST'],
      parameters: {
        ...application,
        grant_type: 'refresh_token',
        refresh_token: 'x',
        scope: 'invoices:read',
        resource: host.audience,
      },
    },
    {
      name: 'user info',
      status: 200,
      path: '/oauth2/userinfo',
      methods: ['GET', 'HEAD', 'POST'],
      parameters: { scope: 'openid' },
      headers: { authorization: `Bearer ${tokens.access_token}` },
    },
    {
      name: 'user info, token in the form',
      status: 200,
      path: '/oauth2/userinfo',
      methods: ['POST', 'GET', 'HEAD'],
      parameters: { access_token: tokens.access_token },
    },
    {
      name: 'revocation',
      status: 200,
      path: '/oauth2/revoke',
      methods: ['POST'],
      parameters: { ...application, token: 'x', token_type_hint: 'access_token' },
    },
    {
      name: 'introspection',
      status: 200,
      path: '/oauth2/introspect',
      methods: ['POST'],
      parameters: { ...application, token: 'x', token_type_hint: 'access_token' },
    },
    {
      name: 'revocations',
      status: 200,
      path: '/oauth2/revocations',
      methods: ['GET', 'HEAD'],
      parameters: { cursor: 'x' },
      headers: basic(key),
    },
    {
      name: 'key set',
      status: 200,
      path: '/oauth2/jwks',
      methods: ['GET', 'HEAD'],
      parameters: {},
      isPublic: true,
    },
    {
      name: 'OpenID configuration',
      status: 200,
      path: '/.well-known/openid-configuration',
      methods: ['GET', 'HEAD'],
      parameters: {},
      isPublic: true,
    },
    {
      name: 'metadata below the issuer',
      status: 200,
      path: '/.well-known/oauth-authorization-server',
      methods: ['GET', 'HEAD'],
      parameters: {},
      isPublic: true,
    },
    {
      name: 'sign-out',
      status: 303,
      path: '/oauth2/logout',
      methods: ['GET', 'HEAD', 'POST'],
      parameters: logout,
      ...page,
    },
    {
      name: 'confirmed sign-out',
      status: 400,
      path: '/oauth2/logout/confirm',
      methods: ['POST'],
      parameters: { xsrf: 'x', logout: 'yes' },
      headers: { cookie: cookieOf(signOut, new URL(`${host.issuer}/oauth2/logout/confirm`).pathname) },
      ...page,
    },
    {
      name: 'signed out',
      status: 200,
      path: '/oauth2/logout/success',
      methods: ['GET', 'HEAD'],
      parameters: { client_id: application.client_id },
      ...page,
    },
    {
      name: 'interaction',
      status: 200,
      path: `/interaction/${signIn.uid}`,
      methods: ['GET', 'HEAD'],
      parameters: {},
      headers: { cookie: signIn.cookie },
      ...page,
    },
    {
      name: 'unknown interaction',
      status: 404,
      path: '/interaction/unknown',
      methods: ['GET', 'HEAD'],
      parameters: {},
      ...page,
    },
    {
      name: 'sign-in form',
      status: 403,
      path: `/interaction/${signIn.uid}/sign-in`,
      methods: ['POST'],
      parameters: { csrf: 'x', identifier: 'alice', password: 'wrong' },
      headers: { cookie: signIn.cookie },
      ...page,
    },
    {
      name: 'consent form',
      status: 403,
      path: `/interaction/${consent.uid}/consent`,
      methods: ['POST'],
      parameters: { csrf: 'x', action: 'approve', scope: 'invoices:read' },
      headers: { cookie: consent.cookie },
      ...page,
    },
    {
      name: 'form to switch accounts',
      status: 403,
      path: `/interaction/${consent.uid}/switch`,
      methods: ['POST'],
      parameters: { csrf: 'x' },
      headers: { cookie: consent.cookie },
      ...page,
    },
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
