import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { drawChart } from '../../bench/chart.ts'
import { fillTables, readReports } from '../../bench/report.ts'

const page = readFileSync('docs/performance.md', 'utf8')

describe('the results of the bench', () => {
  it('the tables of docs/performance.md are made from bench/results.json', async () => {
    expect(await fillTables(page, readReports())).toBe(page)
  })

  it('another result changes the tables', async () => {
    const [newest, ...others] = readReports()
    if (!newest) throw new Error('there are no results')
    const groups = newest.groups.map((group) => ({ ...group, results: group.results.slice(1) }))
    expect(await fillTables(page, [{ ...newest, groups }, ...others])).not.toBe(page)
  })

  it('the chart is made from the results of the newest version of Node', () => {
    const [newest] = readReports()
    expect(newest && drawChart(newest)).toBe(readFileSync('docs/images/bench.svg', 'utf8'))
  })

  it('there are results of two versions of Node, and each has all groups', () => {
    const reports = readReports()
    expect(reports.map(({ node }) => node.split('.')[0])).toEqual(['v24', 'v20'])
    for (const { groups, growth } of reports) {
      expect(groups.length).toBeGreaterThanOrEqual(7)
      expect(growth.length).toBeGreaterThanOrEqual(5)
    }
  })
})
