/** The authorization code flow of a browser that is signed in, for applications that need no consent. */
import type { Context } from 'koa'

/** The cookie with the account of the user who is signed in. */
export const ACCOUNT_COOKIE = 'account'

/** The user whom the cookie names. */
export function signedIn(ctx: Context): { readonly accountId: string } | undefined {
  const accountId = ctx.cookies.get(ACCOUNT_COOKIE)
  return accountId === undefined ? undefined : { accountId }
}

/** What an application requests. */
export interface AuthorizationRequest {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
  /** The user who is signed in. A user gets at most 60 grants of an application in an hour. */
  readonly accountId: string
  /** The code challenge of a public application (RFC 7636), for the method S256. */
  readonly codeChallenge?: string | undefined
  /** The port to which the next request is sent. @default the port of `issuer` */
  readonly pickPort?: (() => number) | undefined
}

/**
 * Follows the redirects as a browser would.
 *
 * @returns the code
 * @throws if there is no code
 */
export async function authorize({
  issuer,
  clientId,
  redirectUri,
  scope,
  accountId,
  codeChallenge,
  pickPort,
}: AuthorizationRequest): Promise<string> {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
    ...(codeChallenge !== undefined && {
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    }),
  })
  const cookies = new Map<string, string>([[ACCOUNT_COOKIE, accountId]])
  let url = new URL(`${issuer}/oauth2/authorize?${query.toString()}`)
  for (let hop = 0; hop < 10 && !url.href.startsWith(redirectUri); hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const at = new URL(url)
    if (pickPort) at.host = `127.0.0.1:${pickPort()}`
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`no code: HTTP ${response.status} ${await response.text()}`)
    url = new URL(location, url)
  }
  const code = url.searchParams.get('code')
  if (code === null) throw new Error(`no code: ${url.search}`)
  return code
}
