/** The authorization code flow of a browser that is signed in, for applications that need no consent. */

/** What an application requests. */
export interface AuthorizationRequest {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly scope: string
}

/** Follows the redirects as a browser would. @returns the code */
export async function authorize({
  issuer,
  clientId,
  redirectUri,
  scope,
}: AuthorizationRequest): Promise<string> {
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope,
  })
  const cookies = new Map<string, string>()
  let url = new URL(`${issuer}/oauth2/authorize?${query.toString()}`)
  for (let hop = 0; hop < 10 && !url.href.startsWith(redirectUri); hop += 1) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`no code: HTTP ${response.status} ${await response.text()}`)
    url = new URL(location, url)
  }
  return url.searchParams.get('code') ?? ''
}
