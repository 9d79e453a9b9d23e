/** The lines of a field of several lines, without empty lines and without white space at their ends. */
export function linesOf(text: string): string[] {
  return typedLines(text).map(({ line }) => line)
}

/**
 * Which line of a field a problem belongs to, counted from 1 as the person typed the lines. Problems count the lines
 * without the empty ones.
 *
 * @param text the field as it was sent
 * @param index position in the result of `linesOf`
 */
export function typedLineOf(text: string | null, index: number): number {
  return typedLines(text ?? '')[index]?.number ?? index + 1
}

function typedLines(text: string): { line: string; number: number }[] {
  return text
    .split('\n')
    .map((line, at) => ({ line: line.trim(), number: at + 1 }))
    .filter(({ line }) => line !== '')
}
