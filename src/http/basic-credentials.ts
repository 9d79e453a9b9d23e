import { isPrintableAscii } from '../validation/predicates.ts'

export interface BasicCredentials {
  readonly clientId: string
  /**
   * The form-decoded secret (RFC 6749 2.3.1), and the raw secret, because many clients do not encode a secret
   * with a `+` or a `%`. If the secret cannot be decoded, the list has only the raw secret.
   */
  readonly clientSecrets: readonly [string, ...string[]]
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i

/** Reads a Basic header (RFC 7617 2). Undefined for any other, and for what cannot be a client and its secret. */
export function readBasicCredentials(authorization: string): BasicCredentials | undefined {
  const { rawId, rawSecret } = readRawCredentials(authorization)
  const clientId = formDecode(rawId)
  // If the client form-encoded its id, it form-encoded its secret too.
  const isRawPossible = clientId === rawId && isPrintableAscii(rawSecret)
  const readings = new Set([formDecode(rawSecret), isRawPossible ? rawSecret : undefined])
  const [first, ...others] = [...readings].filter((reading) => reading !== undefined)
  if (clientId === undefined || first === undefined) return undefined
  return { clientId, clientSecrets: [first, ...others] }
}

/** Before they are form-decoded; empty for any other header. */
export function readRawCredentials(authorization: string) {
  const [, encoded] = BASIC.exec(authorization) ?? []
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return { rawId: text.slice(0, Math.max(colon, 0)), rawSecret: text.slice(colon + 1) }
}

/** Form-encoded as RFC 6749 2.3.1 asks. */
export function formatBasicCredentials({ clientId, clientSecrets }: BasicCredentials): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecrets[0])}`).toString('base64')}`
}

/** @returns undefined for a text that is not form-encoded, or that is not printable ASCII */
export function formDecode(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded.replaceAll('+', ' '))
    return isPrintableAscii(text) ? text : undefined
  } catch {
    return undefined
  }
}
