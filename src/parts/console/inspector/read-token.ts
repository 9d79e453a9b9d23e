import { MAX_TOKEN_LENGTH } from '../../../gateway/bearer-token.ts'
import type { TextName } from '../texts.ts'
import { isObject } from '../../../validation/predicates.ts'

/** Nothing about it is verified. */
export interface DecodedToken {
  /** As a gateway receives it. */
  readonly token: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** RFC 7516 3.1. */
const ENCRYPTED_PARTS = 5

/** Decodes what a person has pasted, also with `Authorization:` or line breaks. @returns or what is wrong */
export function readToken(pasted: string): DecodedToken | TextName {
  const token = pasted.replace(/^\s*(authorization\s*:)?\s*(bearer\s)?/i, '').replaceAll(/[\s"']/g, '')
  if (token === '') return 'inspectorEmpty'
  if (token.length > MAX_TOKEN_LENGTH) return 'inspectorTooLong'
  const parts = token.split('.')
  if (parts.length === ENCRYPTED_PARTS) return 'inspectorEncrypted'
  if (parts.length !== 3) return 'inspectorNotJwt'
  const [header, claims] = parts.map(parse)
  return header && claims ? { token, header, claims } : 'inspectorNotJwt'
}

function parse(encoded: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^[\w-]*$/.test(encoded)) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
