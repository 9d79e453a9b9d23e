import { describe, expect, it } from 'vitest'
import { median, medianInterval, percentile, slopeOf, spreadOf } from '../../bench/figures.ts'

describe('the statistics of the bench', () => {
  it('the median of an even number of values is the higher of the two middle values', () => {
    expect(median([4, 1, 3, 2])).toBe(3)
    expect(median([3, 1, 2])).toBe(2)
    expect(median([])).toBeNaN()
  })

  it('the 95 % interval of the median of 40 values is from the 14th to the 27th, and of few values it is all of them', () => {
    const values = Array.from({ length: 40 }, (_, index) => 40 - index)
    expect(medianInterval(values)).toEqual({ median: 21, low: 14, high: 27 })
    expect(medianInterval([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 })
  })

  it('a percentile is the smallest value that the given share of all values does not exceed', () => {
    const values = Array.from({ length: 1000 }, (_, index) => 1000 - index)
    expect([0.5, 0.99, 0.999, 1].map((share) => percentile(values, share))).toEqual([500, 990, 999, 1000])
    expect(percentile([7], 0.999)).toBe(7)
    expect(percentile([], 0.5)).toBeNaN()
  })

  it('a spread contains the median, the smallest and the largest value, rounded to two decimals', () => {
    expect(spreadOf([2.006, 9, 1])).toEqual({ median: 2.01, min: 1, max: 9 })
  })

  it('the slope of points on a line is the slope of the line, and constant values have the slope 0', () => {
    const line = [
      [0, 5],
      [10, 25],
      [20, 45],
    ] as const
    expect(slopeOf(line)).toBeCloseTo(2)
    expect(slopeOf(line.map(([x]) => [x, 7] as const))).toBe(0)
  })
})
