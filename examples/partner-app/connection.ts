import * as oauth from 'openid-client'

/** The addresses of the service, and the developer's credentials. */
export interface Service {
  /** {auth_url} */
  readonly issuer: string
  /** {base_url} */
  readonly api: string
  readonly clientId: string
  readonly clientSecret: string
}

/** A connected account of a user at the service. It stays on our server; browsers never see it. */
export interface Connection {
  /** The user's name, from the user info endpoint. */
  readonly name: string
  readonly idToken: string
  tokens: Tokens
  /** The previous refresh token, kept only to demonstrate that it is no longer valid. */
  usedRefreshToken?: string
  /** The pending refresh, if any. */
  refreshing?: Promise<void> | undefined
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scopes: readonly string[]
  /** Seconds from the response until the access token expires. */
  readonly expiresIn: number
}

/** The state that is kept while a user is at the service, until the user returns. */
export interface PendingConnection {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The operations of the API that we need. */
export const OPERATIONS = ['invoices:read', 'invoices:create', 'payments:list']

/**
 * The scopes that we request. The user may grant fewer scopes, so `tokens.scopes` contains only the granted
 * scopes.
 */
export const WANTED = ['openid', 'profile', ...OPERATIONS]

/** The connection has ended at the service: only the user can start a new connection. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded'
}

/** All requests to the service, one function each. @param operations the operations to request */
export function createConnector(
  service: Service,
  origin: string,
  operations: readonly string[] = OPERATIONS,
) {
  let discovered: Promise<oauth.Configuration> | undefined

  /** Addresses and keys of the service, read once from its OpenID configuration. */
  function configuration(): Promise<oauth.Configuration> {
    discovered ??= oauth
      .discovery(new URL(service.issuer), service.clientId, service.clientSecret, undefined, {
        // The library rejects plain http by default. Here it is permitted for localhost.
        execute: service.issuer.startsWith('http://localhost') ? [oauth.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      })
    return discovered
  }

  /**
   * Creates the address to which a user is sent to connect their account.
   *
   * @param prompt `consent` shows the consent page again, even if the user has already decided
   */
  async function begin(prompt?: 'consent'): Promise<{ url: URL; pending: PendingConnection }> {
    const pending = {
      state: oauth.randomState(),
      nonce: oauth.randomNonce(),
      codeVerifier: oauth.randomPKCECodeVerifier(),
    }
    const url = oauth.buildAuthorizationUrl(await configuration(), {
      redirect_uri: `${origin}/callback`,
      scope: ['openid', 'profile', ...operations].join(' '),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
    })
    return { url, pending }
  }

  /**
   * Exchanges the code with which the user returned.
   *
   * @throws {oauth.AuthorizationResponseError} if the user denied the request
   */
  async function complete(callback: URL, pending: PendingConnection): Promise<Connection> {
    const config = await configuration()
    const response = await oauth.authorizationCodeGrant(config, callback, {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.codeVerifier,
      idTokenExpected: true,
    })
    const subject = response.claims()?.sub ?? ''
    const person = await oauth.fetchUserInfo(config, response.access_token, subject)
    return { name: person.name ?? subject, idToken: response.id_token ?? '', tokens: tokensFrom(response) }
  }

  /**
   * Gets new tokens. A refresh token works once, so concurrent requests share one refresh. A second use would look like
   * theft, and end the connection.
   *
   * @throws {ConnectionEnded} if the service has ended the connection
   */
  function refresh(connection: Connection): Promise<void> {
    connection.refreshing ??= exchange(connection, connection.tokens.refreshToken).finally(() => {
      connection.refreshing = undefined
    })
    return connection.refreshing
  }

  /** Demonstrates a mistake: uses a refresh token a second time. Throws like `refresh`. */
  async function reuse(connection: Connection): Promise<void> {
    await exchange(connection, connection.usedRefreshToken ?? '')
  }

  async function exchange(connection: Connection, refreshToken: string): Promise<void> {
    try {
      const response = await oauth.refreshTokenGrant(await configuration(), refreshToken)
      connection.tokens = tokensFrom(response)
      connection.usedRefreshToken = refreshToken
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') {
        throw new ConnectionEnded(reasonOf(error), { cause: error })
      }
      throw error
    }
  }

  /**
   * Calls the API. If the access token has expired, refreshes it and repeats the call.
   *
   * @throws {ConnectionEnded} if the service has ended the connection
   */
  async function call(
    connection: Connection,
    method: string,
    path: string,
    body?: object,
  ): Promise<Response> {
    const send = () =>
      fetch(service.api + path, {
        method,
        headers: {
          authorization: `Bearer ${connection.tokens.accessToken}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        body: body ? JSON.stringify(body) : null,
      })
    const response = await send()
    if (response.status !== 401) return response
    await refresh(connection)
    return send()
  }

  /** Ends the connection at the service: all its tokens are revoked there (RFC 7009). */
  async function revoke(connection: Connection): Promise<void> {
    // Waits for a pending refresh: the new tokens of this refresh would otherwise stay valid.
    await connection.refreshing?.catch(() => {})
    await oauth.tokenRevocation(await configuration(), connection.tokens.refreshToken, {
      token_type_hint: 'refresh_token',
    })
  }

  /** Creates the address of the page on which the service asks users whether to sign out of the service. */
  async function farewell(connection: Connection): Promise<URL> {
    return oauth.buildEndSessionUrl(await configuration(), {
      id_token_hint: connection.idToken,
      post_logout_redirect_uri: `${origin}/`,
    })
  }

  return { begin, complete, refresh, reuse, call, revoke, farewell }
}

/** The requests of one application. */
export type Connector = ReturnType<typeof createConnector>

/** The reason of a failure in one line, in the words of the service if it gave a reason (RFC 6749 5.2). */
function reasonOf(error: unknown): string {
  return error instanceof oauth.ResponseBodyError
    ? `${error.status} ${error.error}: ${error.error_description}`
    : String(error)
}

function tokensFrom(response: oauth.TokenEndpointResponse): Tokens {
  return {
    accessToken: response.access_token,
    refreshToken: response.refresh_token ?? '',
    scopes: response.scope?.split(' ') ?? [],
    expiresIn: response.expires_in ?? 0,
  }
}
