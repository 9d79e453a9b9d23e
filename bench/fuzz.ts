/**
 * Generated requests to all endpoints of the authorization service, and to the gateway in front of five routers
 * (@koa/router, koa-tree-router, find-my-way with and without letter case, Fastify by `authenticate`): valid requests
 * and tokens of all kinds, each spoiled in none to four ways. Most go to Node's HTTP parser inside of this process,
 * some over sockets. `node bench/fuzz.ts 1 1000000` takes a seed and a number of requests; what a request is depends
 * on the seed and its number, but for the ids and secrets in it. `--processes 2` shares them out.
 *
 * It fails if anything answers 5xx, or not at all; if a handler runs without a token of its scope; if an answer or a
 * log line holds a secret, markup or a header of a request, or leads elsewhere; if something is issued or told to
 * somebody without a right to it; if anything is thrown that nobody catches, or logged as an error; or if the memory
 * that a host leaves behind grows. Of each finding it prints the shortest request that leads to it. Node 22.18 or
 * later; some 25 minutes of one core for a million.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bytesOf } from '../test/support/fuzz/request.ts'
import { fuzz } from '../test/support/fuzz/run.ts'
import { makeStandKeys } from '../test/support/fuzz/stand.ts'
import { round } from './figures.ts'

/** Requests to one host before a new one takes its place. */
const PER_STAND = 25_000
/** Hosts after which everything is loaded and compiled, and megabytes that the heap may grow by from then on. */
const WARM_AFTER = 4
const MAY_GROW_MB = 30
/** Characters of a request that are printed. */
const PRINTED = 2000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
  },
})
const [seed = 1, count = 1_000_000] = positionals.map(Number)
const [processes, first] = [Number(values.processes), Number(values.first)]
if (![seed, count, processes, first].every(Number.isSafeInteger) || count < 1 || processes < 1) {
  throw new Error('usage: node bench/fuzz.ts [seed] [count] [--processes number] [--first number]')
}

const isClean = processes > 1 ? await share() : await run()
process.exit(isClean ? 0 : 1)

/** Lets each process send a part of the requests. */
async function share(): Promise<boolean> {
  const part = Math.ceil(count / processes)
  const codes = await Promise.all(
    Array.from({ length: processes }, async (_, at) => {
      const own = [
        String(seed),
        String(Math.min(part, count - at * part)),
        '--first',
        String(first + at * part),
      ]
      const child = spawn(process.execPath, [...process.execArgv, import.meta.filename, ...own], {
        stdio: 'inherit',
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      return code
    }),
  )
  return codes.every((code) => code === 0)
}

async function run(): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const name = `seed ${seed}, ${count} requests from ${first} on`
  console.log(`${name}, Node ${process.version}`)
  const started = performance.now()
  const heaps: number[] = []
  const rate = (sent: number) => Math.round(sent / ((performance.now() - started) / 1000))

  const report = await fuzz({
    seed,
    count,
    first,
    perStand: PER_STAND,
    keys: await makeStandKeys(),
    onStand({ sent, findings }) {
      collectGarbage()
      const heap = process.memoryUsage().heapUsed / 1e6
      heaps.push(heap)
      console.log(`${first + sent}: ${rate(sent)} requests/s, ${findings} findings, heap ${round(heap)} MB`)
    },
  })

  const statuses = [...report.statuses].toSorted(([one], [other]) => one - other)
  console.log(`\n${name}: ${statuses.map(([status, times]) => `${status} × ${times}`).join(', ')}`)
  console.log(`handlers reached: ${report.runs}`)
  for (const finding of report.findings) {
    console.log(`--- ${finding.class}, ${finding.times} times: ${finding.detail}`)
    console.log(`to ${finding.request.server}:`)
    console.log(bytesOf(finding.request).toString('latin1').slice(0, PRINTED))
  }
  const [before = 0] = heaps.slice(WARM_AFTER)
  const grown = heaps.length > WARM_AFTER ? (heaps.at(-1) ?? 0) - before : 0
  if (grown > MAY_GROW_MB)
    console.log(`--- memory: ${round(grown)} MB more than after ${WARM_AFTER + 1} hosts`)
  const hasPassed = report.findings.length === 0 && grown <= MAY_GROW_MB
  console.log(`${hasPassed ? 'nothing found' : 'FAILED'}: ${name}, ${rate(report.sent)} requests/s`)
  return hasPassed
}
