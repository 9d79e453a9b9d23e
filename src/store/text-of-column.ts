/** The text of a column of a database that has its UTF-8 bytes, or the text itself. */
export function textOfColumn(column: unknown): string {
  if (typeof column === 'string') return column
  const { buffer, byteOffset, byteLength } = column as Uint8Array
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
