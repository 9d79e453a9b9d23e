/** Statistics for the printed figures. */

/** The median. Of an even number of values, it is the higher of the two middle values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** A figure for printing, rounded to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** The value that a share of all values does not exceed. `share` is between 0 and 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** Median, minimum and maximum of several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: round(median(values)), min: round(Math.min(...values)), max: round(Math.max(...values)) }
}

/** The slope of the line with the least squares through points `[x, y]`. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))]
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}

/**
 * The median with its 95 % interval, by order statistics: the interval makes no assumption about how the values are
 * distributed.
 */
export function medianInterval(values: readonly number[]): {
  readonly median: number
  readonly low: number
  readonly high: number
} {
  const sorted = values.toSorted((a, b) => a - b)
  const count = sorted.length
  // The chance that at most `rank` of `count` values are below the true median.
  let chance = 0.5 ** count
  let term = chance
  let rank = 0
  while (rank < count && chance <= 0.025) {
    term *= (count - rank) / (rank + 1)
    chance += term
    rank += 1
  }
  const low = Math.max(0, rank - 1)
  return {
    median: median(sorted),
    low: sorted[low] ?? Number.NaN,
    high: sorted[count - 1 - low] ?? Number.NaN,
  }
}
