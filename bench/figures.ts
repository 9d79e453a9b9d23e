/** What figures are told by. */

/** The one in the middle; of two in the middle the higher one. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** A figure as it is printed, with two digits behind the point. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
