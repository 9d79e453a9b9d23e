/** Statistics for the printed figures. */

/** The median. Of an even number of values, it is the higher of the two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** A figure for printing, rounded to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
