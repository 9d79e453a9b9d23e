export interface BearerRequest {
  readonly authorization: readonly string[]
  /** The query without its `?`. */
  readonly query: string
  /** Undefined if it is not known. */
  readonly address?: string | undefined
}

/** In characters, far longer than ours: the gateway must not hash and parse megabytes. */
export const MAX_TOKEN_LENGTH = 16_384

const AUTHORIZATION = 'authorization'
const BEARER = /^bearer(?: +|$)/i
/** RFC 6750 2.1. */
const B64TOKEN = /^[\w\-.~+/]+=*$/

/**
 * Finds the bearer token of a request in the `Authorization` header (RFC 6750 2.1). A token in the query is rejected,
 * because it ends up in logs and browser histories (RFC 9700 4.3.2). Bodies are not parsed.
 * @returns `problem` for the `error_description` of `invalid_request` (RFC 6750 3.1); neither if no token was sent
 */
export function readBearerToken({
  authorization,
  query,
}: BearerRequest): Partial<Record<'token' | 'problem', string>> {
  if (query !== '' && new URLSearchParams(query).has('access_token')) {
    return { problem: 'send the access token in the Authorization header, not in the query' }
  }
  if (authorization.length > 1) return { problem: 'send one Authorization header only' }

  const [field] = authorization
  const scheme = field === undefined ? null : BEARER.exec(field)
  if (field === undefined || scheme === null) return {}

  const token = field.slice(scheme[0].length)
  if (token === '') return { problem: 'the Authorization header has no access token after Bearer' }
  if (token.length > MAX_TOKEN_LENGTH) return { problem: 'the access token is too long' }
  if (!B64TOKEN.test(token)) return { problem: 'the Authorization header is not Bearer and one access token' }
  return { token }
}

/** Node's own `headers` keeps the first field and drops the others. */
export function authorizationFields(
  headers: { readonly authorization?: string | readonly string[] | undefined },
  rawHeaders?: readonly string[],
): readonly string[] {
  const { authorization } = headers
  if (authorization === undefined) return []
  if (typeof authorization !== 'string') return authorization
  if (rawHeaders === undefined) return [authorization]
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === AUTHORIZATION)
}

/** For a lookup of a verified token: the text after the only `Bearer `, which is not checked. */
export function onlyBearerToken(rawHeaders: readonly string[]): string | undefined {
  let field: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue
    if (field !== undefined) return undefined
    field = rawHeaders[at + 1]
  }
  return field?.startsWith('Bearer ') ? field.slice('Bearer '.length) : undefined
}
