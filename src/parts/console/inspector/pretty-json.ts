/** Deeper values are in one line, because indentation would make the text very long. */
const MAX_DEPTH = 8

/** JSON that people can read: characters that are invisible or change the direction of text are escapes. */
export function prettyJson(value: Readonly<Record<string, unknown>>): string {
  return write(value).replaceAll(
    /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

function write(value: unknown): string {
  try {
    const plain = JSON.stringify(value)
    return depthOf(plain) > MAX_DEPTH ? plain : JSON.stringify(value, null, 2)
  } catch {
    // More deeply nested than the stack allows.
    return '…'
  }
}

/** Brackets in texts count too, which only makes the result higher. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}
