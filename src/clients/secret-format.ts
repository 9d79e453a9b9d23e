import { crc32 } from 'node:zlib'

export const SECRET_PREFIX = { byDefault: 'gatehouse_', form: /^[A-Za-z][A-Za-z0-9_]{1,30}_$/ }

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** In base 62: 256 bits and 32 bits. */
const LENGTH = { bits: 43, checksum: 6 }

const FORM = /^[0-9A-Za-z]{49}$/

/** The checksum distinguishes a secret from other texts. A double click selects all of it. @param bytes 32 bytes */
export function formatSecret(bytes: Uint8Array, prefix: string): string {
  const text = prefix + inBase62(BigInt(`0x${Buffer.from(bytes).toString('hex')}`), LENGTH.bits)
  return text + checksumOf(text)
}

function checksumOf(text: string): string {
  return inBase62(BigInt(crc32(text)), LENGTH.checksum)
}

function inBase62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text
  return text
}

/**
 * Whether a text is a client secret that a gatehouse has made. Does no I/O: it cannot say whether the secret is valid,
 * or was revoked. Use it to find secrets in logs and texts. Secrets that were imported have another form.
 *
 * @param text the whole text; a secret inside a longer text is not found
 * @param options.prefix the option `secretPrefix` of the gatehouse. @default 'gatehouse_'
 * @returns true if the text has the prefix, the length, and the checksum of a secret
 */
export function isSecret(
  text: string,
  { prefix = SECRET_PREFIX.byDefault }: { readonly prefix?: string } = {},
): boolean {
  if (typeof text !== 'string' || !text.startsWith(prefix) || !FORM.test(text.slice(prefix.length)))
    return false
  const end = text.length - LENGTH.checksum
  return text.slice(end) === checksumOf(text.slice(0, end))
}

export function isMistypedSecret(text: string, prefix: string): boolean {
  return text.startsWith(prefix) && !isSecret(text, { prefix })
}

/** Shows people which secret is meant. @param secret a result of `formatSecret` */
export function hintOf(secret: string): string {
  return `${secret.slice(0, -(LENGTH.bits + LENGTH.checksum))}…${secret.slice(-4)}`
}

/** Messages must not quote such a text. */
export function mayContainSecret(text: string): boolean {
  return /[\w-]{43}/.test(text)
}
