/** A program with every endpoint, page and route. Its parent asks for the valid requests, and for the CPU time. */
import type { Context, Next } from 'koa'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { startTargets } from './targets.ts'

process.stdin.on('end', () => process.exit()).resume()

/** A handler of the host that is too slow for long queries, so that a test can show that such a handler is found. */
async function quadratic(ctx: Context, next: Next): Promise<void> {
  if (ctx.path !== '/quadratic') return next()
  const parameters = new URLSearchParams(ctx.querystring)
  ctx.body = [...parameters.keys()].map((name) => parameters.getAll(name).length).join().length
}

const NAMES = JSON.stringify(Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`name-${at}`, at])))

function fixedWorkMs(): number {
  const before = process.cpuUsage()
  JSON.stringify(JSON.parse(NAMES))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const { targets } = await startTargets(memoryStore, { above: [quadratic] })
const answers: Readonly<Record<string, () => unknown>> = {
  targets: () => targets,
  /** CPU time of this process in milliseconds. */
  /** CPU time in milliseconds that a fixed work takes: less than 1 on an idle machine. */
  fixedWork: () => Math.min(...Array.from({ length: 5 }, fixedWorkMs)),
  cpu: () => (process.cpuUsage().user + process.cpuUsage().system) / 1000,
}
process.on('message', (question: string) => process.send?.(answers[question]?.()))
console.log('ready 0')
