/** The content of a `WWW-Authenticate` header of the Bearer scheme. */
export interface Challenge {
  /** {base_url}. */
  readonly realm: string
  /** Absent if no token was sent: there is no error then (RFC 6750 3.1). */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | undefined
  readonly description?: string | undefined
  /** Scopes that the request needs. */
  readonly scopes?: readonly string[] | undefined
  /** Address of the metadata of the API (RFC 9728 5.1). */
  readonly resourceMetadata: string
}

/** Formats a challenge as the value of `WWW-Authenticate` (RFC 6750 3, RFC 9728 5.1). */
export function formatWwwAuthenticate({
  realm,
  error,
  description,
  scopes,
  resourceMetadata,
}: Challenge): string {
  const parameters = [
    ['realm', realm],
    ['error', error],
    ['error_description', description],
    ['scope', scopes?.join(' ')],
    ['resource_metadata', resourceMetadata],
  ] as const
  const written = parameters.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : `${name}="${quotable(value)}"`,
  )
  return `Bearer ${written.join(', ')}`
}

/**
 * Replaces everything that may not appear between the quotes (RFC 6750 3), which is all but printable ASCII
 * without `"` and `\`. A question mark takes its place, so that no value ends its quotes or the header.
 */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
}
