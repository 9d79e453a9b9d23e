/** The value of a text in JSON; undefined for any other text. The parser's own error would quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
