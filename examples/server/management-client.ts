/** Who calls the management API, and what is sent with each request. */
export interface ManagementCaller {
  /** The origin of the host. */
  readonly origin: string
  /** The session of a browser, as its header `Cookie`; or the token of a script, as its header `Authorization`. */
  readonly credentials: { readonly cookie: string } | { readonly authorization: string }
}

/** The methods of a client of the management API. */
export interface ManagementClient {
  get<Answer>(path: string): Promise<Answer>
  /** @param body is sent as JSON; undefined sends no body */
  send<Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<Answer>
}

/**
 * Calls the management API over HTTP, as a front end or a script of the host does. If a request changes something
 * with the cookie of a session, it also has the header `Origin` and the CSRF token of this session.
 *
 * @throws {Error} with the method, the path, and the code and detail of the answer (RFC 9457)
 */
export function createManagementClient({ origin, credentials }: ManagementCaller): ManagementClient {
  async function request<Answer>(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { ...credentials, ...(init.headers as Record<string, string>) }
    const response = await fetch(`${origin}/account/api${path}`, { ...init, method, headers })
    const answer = response.status === 204 ? undefined : await response.json()
    if (response.ok) return answer as Answer
    const { code, detail } = answer as { code: string; detail: string }
    throw new Error(`${method} ${path}: ${code}, ${detail}`)
  }

  async function csrfHeaders(): Promise<Record<string, string>> {
    if (!('cookie' in credentials)) return {}
    const response = await fetch(`${origin}/account/api/session`, { headers: { ...credentials } })
    const { csrfToken } = (await response.json()) as { csrfToken: string }
    const cookies = response.headers.getSetCookie().map((each) => each.split(';', 1)[0])
    return { 'x-csrf-token': csrfToken, origin, cookie: [credentials.cookie, ...cookies].join('; ') }
  }

  return {
    get: (path) => request('GET', path),
    async send(method, path, body) {
      const headers = { ...(await csrfHeaders()), ...(body && { 'content-type': 'application/json' }) }
      return request(method, path, { headers, ...(body && { body: JSON.stringify(body) }) })
    },
  }
}
