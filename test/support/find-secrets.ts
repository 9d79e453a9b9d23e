import type { DumpedKey } from './redis-dump.ts'

/** Secrets that must not be stored. Each secret has a description. */
export type Secrets = Map<string, string>

/**
 * All forms in which a text could contain a secret. These are the secret itself, its escaped forms in URLs
 * and JSON, and its bytes in base64 and hex.
 */
function encodingsOf(secret: string): string[] {
  const bytes = [Buffer.from(secret)]
  if (/^[\w-]{16,}$/.test(secret)) bytes.push(Buffer.from(secret, 'base64url'))
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...bytes.flatMap((some) => [some.toString('hex'), some.toString('hex').toUpperCase(), ...inBase64(some)]),
  ]
}

/**
 * All forms of a secret inside of a longer text in base64. They depend on the offset of the secret. The
 * characters at both ends depend on the neighbouring bytes, so these characters are left out.
 */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64url')
      .slice(before && before + 1, -2)
    return [text, text.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

/** Describes the secrets that a dump contains, such as `refresh token in session:…`. */
export function findSecrets(dump: readonly DumpedKey[], secrets: Secrets): string[] {
  const needles = [...secrets].flatMap(([secret, what]) =>
    [...new Set(encodingsOf(secret))].map((text) => ({ text, what })),
  )
  return dump.flatMap(({ key, values }) => {
    const found = needles.filter(({ text }) => [key, ...values].some((stored) => stored.includes(text)))
    return [...new Set(found.map(({ what }) => `${what} in ${key}`))]
  })
}
