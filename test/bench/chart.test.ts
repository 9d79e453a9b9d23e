import { describe, expect, it } from 'vitest'
import { drawChart } from '../../bench/chart.ts'
import type { Report } from '../../bench/rounds.ts'

const spread = (median: number) => ({ median, min: median, max: median })
const result = (name: string, user: number, system: number) => ({
  name,
  cpu: spread(user + system),
  user: spread(user),
  system: spread(system),
  requestsPerSecond: spread(1000),
  ratio: spread(1),
})
const report: Report = {
  date: '2026-11-22',
  machine: { cpu: 'A <fast> & new CPU', cores: 2, load: 0.1 },
  node: 'v24.0.0',
  versions: {},
  schedule: { rounds: 5, seconds: 1, warmUpSeconds: 1, pacedSeconds: 1 },
  groups: [
    { title: 'Gateway', results: [result('koa-gatehouse', 15, 5), result('another', 60, 20)] },
    { title: 'Token endpoint', results: [result('koa-gatehouse', 300, 100)] },
  ],
  growth: [],
}

describe('the chart of the bench', () => {
  const svg = drawChart(report)

  it('the chart has a bar for the user time and a bar for the system time of each candidate', () => {
    const bars = [...svg.matchAll(/<rect class="([^"]+)" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)]
    expect(bars.map(([, kind, x, width]) => [kind, Number(x), Number(width)])).toEqual([
      ['user ours', 250, 71.3],
      ['system ours', 321.3, 23.8],
      ['user', 250, 285],
      ['system', 535, 95],
      ['user ours', 250, 285],
      ['system ours', 535, 95],
    ])
    expect([...svg.matchAll(/>(\d+ µs)</g)].map(([, label]) => label)).toEqual(['20 µs', '80 µs', '400 µs'])
  })

  it('the chart is at most 720 pixels wide, follows dark mode, and loads nothing', () => {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="720" /)
    expect(svg).toContain('@media (prefers-color-scheme: dark)')
    expect(svg).not.toMatch(/href|url\(|@import|<script/)
  })

  it('names are escaped', () => {
    expect(svg).toContain('A &lt;fast> &amp; new CPU')
    expect(svg).not.toContain('<fast>')
  })
})
