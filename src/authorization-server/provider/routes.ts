import { DOCUMENT_METHODS } from '../../http/public-document.ts'

/** The paths of the endpoints below {auth_url}, by oidc-provider's route names. */
export const ROUTES = {
  authorization: '/oauth2/authorize',
  token: '/oauth2/token',
  revocation: '/oauth2/revoke',
  introspection: '/oauth2/introspect',
  userinfo: '/oauth2/userinfo',
  jwks: '/oauth2/jwks',
  end_session: '/oauth2/logout',
} as const

/** The path below {auth_url} where gateways without access to the store receive revocations. */
export const REVOCATION_FEED = '/oauth2/revocations'

export const METADATA = '/.well-known/oauth-authorization-server'
export const OPENID_CONFIGURATION = '/.well-known/openid-configuration'

/** The methods of each path; any other method is answered with 405 (RFC 9110 15.5.6). */
export const METHODS: Readonly<Record<string, readonly string[]>> = {
  [ROUTES.authorization]: ['GET', 'HEAD', 'POST'],
  [ROUTES.token]: ['POST', 'OPTIONS'],
  [ROUTES.revocation]: ['POST', 'OPTIONS'],
  [ROUTES.introspection]: ['POST', 'OPTIONS'],
  [REVOCATION_FEED]: ['GET', 'HEAD'],
  [ROUTES.userinfo]: ['GET', 'HEAD', 'POST', 'OPTIONS'],
  [ROUTES.jwks]: DOCUMENT_METHODS,
  [ROUTES.end_session]: ['GET', 'HEAD', 'POST'],
  [`${ROUTES.end_session}/confirm`]: ['POST'],
  [`${ROUTES.end_session}/success`]: ['GET', 'HEAD'],
  [OPENID_CONFIGURATION]: DOCUMENT_METHODS,
  [METADATA]: DOCUMENT_METHODS,
}

/** The paths and methods of all endpoints. Whether a path is one; all others below {auth_url} are left to the host. */
export function isOwnPath(path: string): boolean {
  return METHODS[normalizePath(path)] !== undefined || RETURN_OR_PAGE.test(path)
}

const RETURN_OR_PAGE = /^\/(oauth2\/authorize\/[^/]+\/?|interaction(\/.*)?)$/i

export const CLIENT_ROUTES = ['token', 'revocation', 'introspection'] as const

export const CLIENT_ENDPOINTS = new Set<string>(CLIENT_ROUTES.map((name) => ROUTES[name]))

/** Browsers request these on behalf of an application. API keys are not valid clients there. */
export const FRONT_CHANNEL = /^(authorization|resume|end_session)/

/** Errors of endpoints that only programs call are JSON, whatever `Accept` asks for (RFC 6749 5.2). */
export function isForPrograms(path: string): boolean {
  return FOR_PROGRAMS.test(path)
}

const FOR_PROGRAMS = /^\/(oauth2\/(token|userinfo|jwks|revo|introspect)|\.well-known\/)/i

/** Ignores letter case and a trailing slash, as oidc-provider does. */
export function normalizePath(path: string): string {
  const lower = path.toLowerCase()
  return lower.length > 1 && lower.endsWith('/') ? lower.slice(0, -1) : lower
}
