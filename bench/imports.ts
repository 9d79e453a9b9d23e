/**
 * What importing the package costs a process: CPU time, heap and resident memory. Each import runs in a fresh process. The
 * candidates run in turn, so that a busy machine slows all of them alike. The process that imports nothing is the base: its
 * figures are subtracted from those of the others. Ratios are relative to importing oidc-provider, a part of the core.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { median, round } from './figures.ts'

const ROUNDS = 15
const BASE = 'nothing'
const REFERENCE = 'oidc-provider'
const ENTRIES = ['koa-gatehouse', 'koa-gatehouse/gateway'] as const

interface Cost {
  /** CPU time of the whole process, in milliseconds. */
  readonly cpu: number
  /** The heap after a garbage collection, in MB. */
  readonly heap: number
  /** Resident memory, in MB. */
  readonly rss: number
}

/** Imports each candidate in several processes, and prints a table. About a minute. */
export async function measureImports(): Promise<void> {
  const candidates = [BASE, REFERENCE, ...ENTRIES]
  const costs = new Map<string, Cost[]>(candidates.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, measured] of costs) measured.push(await measureImport(name))
  }
  const base = medianOf(costs.get(BASE))
  const [reference, ...ours] = [REFERENCE, ...ENTRIES].map((name) => minus(medianOf(costs.get(name)), base))
  if (reference === undefined) throw new Error('the reference is missing')

  console.log(`What an import adds to a process, median of ${ROUNDS} processes, Node ${process.version}`)
  console.log(
    `the base, which imports ${BASE}: ${Math.round(base.cpu)} ms of CPU, ${round(base.heap)} MB of heap, ${Math.round(base.rss)} MB resident`,
  )
  const row = (cost: Cost) => ({
    'CPU ms': Math.round(cost.cpu),
    'heap MB': round(cost.heap),
    'resident MB': Math.round(cost.rss),
    'CPU ÷ oidc-provider': round(cost.cpu / reference.cpu),
    'heap ÷': round(cost.heap / reference.heap),
    'resident ÷': round(cost.rss / reference.rss),
  })
  console.table(
    Object.fromEntries([
      [REFERENCE, row(reference)],
      ...ours.map((cost, index) => [ENTRIES[index], row(cost)] as const),
    ]),
  )
}

async function measureImport(name: string): Promise<Cost> {
  const program = `
    ${name === BASE ? '' : `await import('${name}')`}
    const { user, system } = process.cpuUsage()
    const { rss } = process.memoryUsage()
    gc()
    const { heapUsed } = process.memoryUsage()
    console.log(JSON.stringify({ cpu: (user + system) / 1e3, heap: heapUsed / 1e6, rss: rss / 1e6 }))`
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    program,
  ])
  return JSON.parse(stdout) as Cost
}

function medianOf(costs: readonly Cost[] = []): Cost {
  const of = (kind: keyof Cost) => median(costs.map((cost) => cost[kind]))
  return { cpu: of('cpu'), heap: of('heap'), rss: of('rss') }
}

function minus(cost: Cost, base: Cost): Cost {
  return { cpu: cost.cpu - base.cpu, heap: cost.heap - base.heap, rss: cost.rss - base.rss }
}
