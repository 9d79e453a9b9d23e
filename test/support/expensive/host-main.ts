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

const { targets } = await startTargets(memoryStore, { above: [quadratic] })
const answers: Readonly<Record<string, () => unknown>> = {
  targets: () => targets,
  /** CPU time of this process in milliseconds. */
  cpu: () => (process.cpuUsage().user + process.cpuUsage().system) / 1000,
}
process.on('message', (question: string) => process.send?.(answers[question]?.()))
console.log('ready 0')
