/**
 * Sends generated requests to all endpoints of the authorization service, and to the gateway in front of four
 * routers (@koa/router, find-my-way with case-sensitive and with case-insensitive routes,
 * Fastify, which calls `authenticate`). A generated request starts as a typical request, with a valid or an
 * invalid token, and gets up to four mutations. Most requests are passed to Node's HTTP parser in this
 * process, and some are sent over sockets. The arguments `1 1000000` are a seed and a
 * number of requests. Each request depends only on the seed and on the position of the request, except for
 * the ids and secrets in it. `--processes 2` distributes the requests among two processes.
 *
 * The run fails in each of these cases:
 *
 * - A request gets a 5xx or no response.
 * - A route handler runs although the request has no token with the scope of the route.
 * - A response or a log line contains a secret.
 * - A response contains markup or a header that came from the request, or redirects to a wrong address.
 * - A client gets a token or data that it has no right to.
 * - An error is uncaught or logged.
 * - A valid request to the API is rejected.
 * - The heap grows. It is measured whenever a new host has replaced the previous one.
 *
 * The run prints each finding when it meets it, with the position of the request, and at the end the shortest request that
 * reproduces it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { bytesOf, type FuzzRequest } from '../support/fuzz/request.ts'
import { fuzz } from '../support/fuzz/run.ts'
import { makeFuzzHostKeys } from '../support/fuzz/fuzz-host.ts'
import { round } from '../../bench/figures.ts'
import { FOREIGN_ROUTERS } from './routers.ts'

/** Requests to one host before the next host replaces it. */
const REQUESTS_PER_HOST = 25_000
/**
 * The number of hosts after which all code is loaded and compiled, and the megabytes by which the heap may grow
 * afterwards.
 */
const WARM_UP_HOSTS = 4
const MAX_GROWTH_MB = 30
/** The maximum number of characters that are printed of a request. */
const PRINTED_CHARACTERS = 2000

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
  throw new Error('arguments: fuzz [seed] [count] [--processes number] [--first number]')
}

const isClean = processes > 1 ? await distribute() : await run()
process.exit(isClean ? 0 : 1)

/** Distributes the requests among processes. */
async function distribute(): Promise<boolean> {
  const part = Math.ceil(count / processes)
  const codes = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const own = [
        String(seed),
        String(Math.min(part, count - index * part)),
        '--first',
        String(first + index * part),
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
    perHost: REQUESTS_PER_HOST,
    keys: await makeFuzzHostKeys(),
    fuzzHost: { foreign: FOREIGN_ROUTERS },
    onFinding({ finding, request, number }) {
      console.log(`--- met at request ${number} of seed ${seed}: ${finding.class}: ${finding.detail}`)
      printRequest(request)
    },
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
    printRequest(finding.request)
  }
  const [before = 0] = heaps.slice(WARM_UP_HOSTS)
  const grown = heaps.length > WARM_UP_HOSTS ? (heaps.at(-1) ?? 0) - before : 0
  if (grown > MAX_GROWTH_MB)
    console.log(`--- memory: ${round(grown)} MB more than after ${WARM_UP_HOSTS + 1} hosts`)
  const hasPassed = report.findings.length === 0 && grown <= MAX_GROWTH_MB
  console.log(`${hasPassed ? 'nothing found' : 'FAILED'}: ${name}, ${rate(report.sent)} requests/s`)
  return hasPassed
}

function printRequest(request: FuzzRequest): void {
  console.log(`to ${request.server}:`)
  console.log(bytesOf(request).toString('latin1').slice(0, PRINTED_CHARACTERS))
}
