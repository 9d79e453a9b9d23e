/** The results of the bench: their file, and the tables of `docs/performance.md` that are made from it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { format } from 'oxfmt'
import { drawChart } from './chart.ts'
import { round } from './figures.ts'
import { OURS, type Group, type Report, type Result } from './rounds.ts'

const RESULTS = 'bench/results.json'
const PAGE = 'docs/performance.md'
const CHART = 'docs/images/bench.svg'

/** The reports in `bench/results.json`, one for each major version of Node, newest version first. */
export function readReports(): Report[] {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Report[]
}

/**
 * Stores results of this version of Node, and makes the tables and the chart again.
 *
 * @param load the load average before the bench began
 */
export async function saveResults(
  results: Pick<Report, 'schedule'> & Partial<Pick<Report, 'groups' | 'growth'>>,
  load: number,
): Promise<void> {
  const all = readReports()
  const [major] = process.version.split('.')
  const isSame = ({ node }: Report) => node.split('.')[0] === major
  const before = all.find(isSame) ?? { groups: [], growth: [] }
  const { groups, growth } = before
  const report = { ...environment(load), groups, growth, ...results }
  const reports = [...all.filter((one) => !isSame(one)), report].toSorted((a, b) =>
    b.node.localeCompare(a.node, 'en', { numeric: true }),
  )
  writeFileSync(RESULTS, `${JSON.stringify(reports, undefined, 2)}\n`)
  const [newest = report] = reports
  writeFileSync(CHART, drawChart(newest))
  writeFileSync(PAGE, await fillTables(readFileSync(PAGE, 'utf8'), reports))
}

/**
 * Replaces the tables of the page: the text between `<!-- tables: groups -->` and `<!-- end -->`, and so on.
 *
 * @returns the page, formatted as all documents are
 */
export async function fillTables(page: string, reports: readonly Report[]): Promise<string> {
  const tables = { machines: machines(reports), groups: groups(reports), growth: growth(reports) }
  const filled = page.replaceAll(
    /(<!-- tables: (\w+) -->)[^]*?(<!-- end -->)/g,
    (_, start: string, name: keyof typeof tables, end: string) => `${start}\n\n${tables[name]}\n\n${end}`,
  )
  return (await format(PAGE, filled, { printWidth: 110 })).code
}

function machines(reports: readonly Report[]): string {
  const header = ['Node', 'date', 'processor', 'load before']
  return table(
    header,
    reports.map(({ node, date, machine }) => [
      node.replace('v', ''),
      date,
      `${machine.cores} × ${machine.cpu}`,
      String(machine.load),
    ]),
  )
}

/** One table a group: CPU time and its ratio for each version of Node, and the rates of the newest version. */
function groups(reports: readonly Report[]): string {
  const [newest] = reports
  if (newest === undefined) return ''
  return newest.groups
    .map(({ title, results }) => {
      const header = ['', ...reports.flatMap(({ node }) => [`µs, Node ${majorOf(node)}`, '÷ ours'])]
      header.push(`requests/s, Node ${majorOf(newest.node)}`, 'p50, p99, p99.9 in ms')
      const rows = results.map(({ name, requestsPerSecond, latencyMs }) => [
        name === OURS ? `**${name}**` : name,
        ...reports.flatMap((report) => {
          const result = resultOf(report.groups, title, name)
          return result ? [result.cpu.median.toFixed(1), result.ratio.median.toFixed(2)] : ['', '']
        }),
        Math.round(requestsPerSecond.median).toLocaleString('en'),
        latencyMs ? `${latencyMs.p50}, ${latencyMs.p99}, ${latencyMs.p999} at ${latencyMs.rate}/s` : '',
      ])
      return `### ${title}\n\n${table(header, rows)}`
    })
    .join('\n\n')
}

/** One table: the CPU time of each small and large quantity. */
function growth(reports: readonly Report[]): string {
  const [newest] = reports
  if (newest === undefined) return ''
  const header = ['', '', ...reports.flatMap(({ node }) => [`µs, Node ${majorOf(node)}`, 'first ÷ this'])]
  const rows = newest.growth.flatMap(({ title, results }) =>
    results.map(({ name }, index) => [
      index === 0 ? title : '',
      name,
      ...reports.flatMap((report) => {
        const result = resultOf(report.growth, title, name)
        return result ? [result.cpu.median.toFixed(1), (1 / result.ratio.median).toFixed(2)] : ['', '']
      }),
    ]),
  )
  return table(header, rows)
}

function resultOf(all: readonly Group[], title: string, name: string): Result | undefined {
  return all.find((group) => group.title === title)?.results.find((result) => result.name === name)
}

function majorOf(node: string): string {
  return node.replace('v', '').split('.')[0] ?? node
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

const PACKAGES =
  'autocannon koa jose koa-jwt jwks-rsa express express-oauth2-jwt-bearer fastify @fastify/jwt oidc-provider ioredis'

function environment(load: number) {
  const versionIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  const versions = PACKAGES.split(' ').map((name) => {
    const file = `node_modules/${name}/package.json`
    return [name, versionIn(existsSync(file) ? file : `test/foreign/${file}`)] as const
  })
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, load: round(load) },
    node: process.version,
    versions: Object.fromEntries([[OURS, versionIn('package.json')] as const, ...versions]),
  }
}
