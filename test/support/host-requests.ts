import type { PlainFetch } from './plain-fetch.ts'

/** The credentials of an API key or of an application, as parameters of a request. */
export type Client = { client_id: string; client_secret: string }

/** The credentials of a client as an `authorization` header (RFC 6749 2.3.1). */
export function basic({ client_id, client_secret }: Client): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
}

/** The requests that clients and resource servers make to a test host. */
export function hostRequests({
  fetch,
  issuer,
  audience,
}: {
  fetch: PlainFetch
  issuer: string
  audience: string
}) {
  async function send(url: string, init: RequestInit) {
    const response = await fetch(url, init)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }

  /** Sends a form to a path below the issuer, or to a whole URL. */
  function post(path: string, body: Record<string, string> | [string, string][], headers = {}) {
    return send(path.startsWith('http') ? path : issuer + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(body),
    })
  }

  const token = (body: Record<string, string>, headers = {}) => post('/oauth2/token', body, headers)

  return {
    post,
    token,
    /** The client credentials grant. */
    requestDirectToken: (client: Client, parameters = {}) =>
      token({ ...client, grant_type: 'client_credentials', ...parameters }),
    /** The authorization code grant. */
    exchangeCode: (client: Client, code: string, parameters = {}) =>
      token({ ...client, grant_type: 'authorization_code', code, ...parameters }),
    /** The refresh token grant. */
    refresh: (client: Client, refreshToken: unknown, parameters = {}) =>
      token({ ...client, grant_type: 'refresh_token', refresh_token: String(refreshToken), ...parameters }),
    introspect: (client: Client, accessToken: string) =>
      post('/oauth2/introspect', { ...client, token: accessToken }),
    userInfo: (accessToken: string) => send(`${issuer}/oauth2/userinfo`, { headers: bearer(accessToken) }),
    /** An API call, such as `GET /invoices/list`. */
    call(target: string, accessToken?: string) {
      const [method = 'GET', path = '/'] = target.split(' ')
      const headers = accessToken === undefined ? {} : bearer(accessToken)
      return send(audience + path, { method, headers })
    },
  }
}

function bearer(accessToken: string): { authorization: string } {
  return { authorization: `Bearer ${accessToken}` }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
