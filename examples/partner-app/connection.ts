import * as oauth from 'openid-client'

/** What the service gave to the developer, and where it is. */
export interface Service {
  /** {auth_url} */
  readonly issuer: string
  /** {base_url} */
  readonly api: string
  readonly clientId: string
  readonly clientSecret: string
}

/** A user's account at the service, connected. Lives on our server: browsers never see any of it. */
export interface Connection {
  /** Whom it belongs to, from the user info endpoint. */
  readonly name: string
  readonly idToken: string
  tokens: Tokens
  /** The refresh token before the current one; kept here only to show that it is of no use any more. */
  usedRefreshToken?: string
  /** The refresh under way, if any. */
  refreshing?: Promise<void> | undefined
}

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scopes: readonly string[]
  /** Seconds from the moment of the answer. */
  readonly expiresIn: number
}

/** What must be remembered between sending somebody to the service and their return. */
export interface PendingConnection {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/** The operations of the API that we need. */
export const OPERATIONS = ['invoices:read', 'invoices:create', 'payments:list']

/** What we ask for. The user may grant less, so `tokens.scopes` says what we got. */
export const WANTED = ['openid', 'profile', ...OPERATIONS]

/** The service answered that the connection is over: only the user can start a new one. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded'
}

/** All that is said to the service, a verb each. */
export function createConnector(service: Service, origin: string) {
  let discovered: Promise<oauth.Configuration> | undefined

  /** Addresses and keys of the service, read once from its OpenID configuration. */
  function configuration(): Promise<oauth.Configuration> {
    discovered ??= oauth
      .discovery(new URL(service.issuer), service.clientId, service.clientSecret, undefined, {
        // The library rejects plain http unless it is told; here it is for localhost.
        execute: service.issuer.startsWith('http://localhost') ? [oauth.allowInsecureRequests] : [],
      })
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      })
    return discovered
  }

  /**
   * Where to send somebody who wants to connect their account.
   *
   * @param prompt `consent` asks them anew, also about what they decided before
   */
  async function begin(prompt?: 'consent'): Promise<{ url: URL; pending: PendingConnection }> {
    const pending = {
      state: oauth.randomState(),
      nonce: oauth.randomNonce(),
      codeVerifier: oauth.randomPKCECodeVerifier(),
    }
    const url = oauth.buildAuthorizationUrl(await configuration(), {
      redirect_uri: `${origin}/callback`,
      scope: WANTED.join(' '),
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
      code_challenge_method: 'S256',
      ...(prompt && { prompt }),
    })
    return { url, pending }
  }

  /**
   * Exchanges the code that they came back with.
   *
   * @throws {oauth.AuthorizationResponseError} they said no
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
   * Gets new tokens. A refresh token works once, so two requests at the same moment share one refresh: using
   * it twice would look like theft, and end the connection.
   *
   * @throws {ConnectionEnded}
   */
  function refresh(connection: Connection): Promise<void> {
    connection.refreshing ??= exchange(connection, connection.tokens.refreshToken).finally(() => {
      connection.refreshing = undefined
    })
    return connection.refreshing
  }

  /** What nobody should do: uses a refresh token that was used before. Throws as `refresh` does. */
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
   * Calls the API. An access token that has expired is replaced, and the call made once more.
   *
   * @throws {ConnectionEnded}
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

  /** Ends the connection at the service, too: all tokens of it are revoked there (RFC 7009). */
  async function revoke(connection: Connection): Promise<void> {
    // A refresh under way would leave a token behind that we never see.
    await connection.refreshing?.catch(() => {})
    await oauth.tokenRevocation(await configuration(), connection.tokens.refreshToken, {
      token_type_hint: 'refresh_token',
    })
  }

  /** Where to send somebody who leaves, so that they are asked whether to sign out of the service too. */
  async function farewell(connection: Connection): Promise<URL> {
    return oauth.buildEndSessionUrl(await configuration(), {
      id_token_hint: connection.idToken,
      post_logout_redirect_uri: `${origin}/`,
    })
  }

  return { begin, complete, refresh, reuse, call, revoke, farewell }
}

/** What went wrong, in one line; as the service said it, where it said something (RFC 6749 5.2). */
export function reasonOf(error: unknown): string {
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
