/** The header (0) or the claims (1) of an unverified assertion; undefined if they cannot be read. */
export function partOf(assertion: unknown, index: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  try {
    const part = String(assertion).split('.')[index] ?? ''
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString()))
  } catch {
    return undefined
  }
}
