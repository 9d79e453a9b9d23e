/** Bytes that a parameter may have, as JSON, which is how it is stored. No known client comes near. */
const LIMITS: Readonly<Record<string, number>> = { state: 2050, redirect_uri: 2050 }
const OTHERS = 514

/** Bytes that all parameters of an authorization request may have together, besides `scope`. */
const TOGETHER = 3072

/** A parameter that is too long, or all of them together. */
export interface TooLong {
  readonly name: string
  readonly description: string
}

/**
 * Finds what is too long among the parameters of a request: strangers choose them, and they are stored. What `scope`
 * asks for is checked one by one, and of an `id_token_hint` there is but the subject by then.
 *
 * @param params by name: texts, lists of texts where a parameter was repeated, undefined where it was left out
 */
export function findTooLong(params: Readonly<Record<string, unknown>>): TooLong | undefined {
  let together = 0
  for (const [name, value] of Object.entries(params)) {
    if (name === 'scope' || value === undefined) continue
    const bytes = Buffer.byteLength(JSON.stringify(value))
    const limit = LIMITS[name] ?? OTHERS
    // Without the quotes.
    if (bytes > limit) return { name, description: `${name} is too long; it may have ${limit - 2} bytes` }
    together += bytes + name.length
  }
  if (together <= TOGETHER) return undefined
  const description = `the parameters are too long; together they may have ${TOGETHER} bytes, besides scope`
  return { name: '', description }
}
