/**
 * Formats the parameters of a challenge, in their order, as the value of `WWW-Authenticate` (RFC 6750 3). A parameter
 * without a value, or with an empty one, is left out.
 */
export function formatWwwAuthenticate(parameters: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
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
