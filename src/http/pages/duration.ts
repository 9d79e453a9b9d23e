const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/**
 * Formats a duration for people, in the largest fitting unit with at most one decimal: “30 days”, “1.5
 * hours”.
 *
 * @param seconds more than 0
 */
export function writeDuration(seconds: number, locale: string): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1]
  const format = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, format).format(seconds / length)
}
