/**
 * Formats the parameters of a challenge, in their order, as the value of `WWW-Authenticate` (RFC 6750 3). A
 * parameter without a value, or with an empty value, is left out.
 */
export function formatWwwAuthenticate(parameters: Readonly<Record<string, string | undefined>>): string {
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : `${name}="${quotable(value)}"`,
  )
  return `Bearer ${written.join(', ')}`
}

/**
 * Replaces each character that is not allowed between the quotes by a question mark (RFC 6750 3). Printable
 * ASCII is allowed, except `"` and `\`. So no value can end its quotes or the header.
 */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
}
