const COLUMNS = ['at', 'clientId', 'clientName', 'kind', 'operation', 'result', 'outcome', 'count'] as const

/** A row of a list of usage, of which each number or text is a value. */
export type CsvRow = Readonly<Partial<Record<(typeof COLUMNS)[number], string | number | undefined>>>

/**
 * A list of usage as CSV (RFC 4180) with a header. Times are ISO 8601 in UTC. A value that a spreadsheet would take
 * for a formula begins with an apostrophe.
 */
export function usageAsCsv(rows: readonly CsvRow[]): string {
  const [first = { count: 0, at: 0, outcome: 'ok' }] = rows
  const columns = COLUMNS.filter((name) => first[name] !== undefined)
  const lines = rows.map((row) => columns.map((name) => cellOf(name, row[name])).join(','))
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

function cellOf(name: string, value: string | number | undefined): string {
  if (name === 'at') return new Date(Number(value) * 1000).toISOString().replace('.000Z', 'Z')
  const text = String(value ?? '')
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
