/** The longest value of a parameter, in bytes of its stored JSON. Known clients stay far below this limit. */
const MAX_BYTES: Readonly<Record<string, number>> = { state: 2050, redirect_uri: 2050, client_id: 1026 }
const MAX_BYTES_OTHERS = 514

/** Without `scope`. */
const MAX_BYTES_TOGETHER = 3072

/**
 * Finds a parameter that is too long, because strangers choose the parameters, and oidc-provider stores them.
 * The name is empty if all together are too long. `checkRequestedScope` checks `scope`.
 * `id_token_hint` is short here: `keepSubjectOfHint` has replaced the ID token by its subject.
 */
export function findTooLong(params: Readonly<Record<string, unknown>>) {
  let together = 0
  for (const [name, value] of Object.entries(params)) {
    if (name === 'scope' || value === undefined) continue
    const bytes = Buffer.byteLength(JSON.stringify(value))
    const limit = MAX_BYTES[name] ?? MAX_BYTES_OTHERS
    // The limit includes the two quotes of the JSON text, but the message does not.
    if (bytes > limit) return { name, description: `${name} is too long; it may have ${limit - 2} bytes` }
    together += bytes + name.length
  }
  if (together <= MAX_BYTES_TOGETHER) return undefined
  const description = `the parameters are too long; without scope, they may have ${MAX_BYTES_TOGETHER} bytes together`
  return { name: '', description }
}
