/** A process that writes to a file of SQLite. `host-process.ts` compiles, starts and stops it. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sqliteStore } from 'koa-gatehouse/adapters/sqlite'
import { sqliteDrivers } from './sqlite.ts'

/** The options of the process, passed as JSON. */
export interface SqliteProcessOptions {
  readonly file: string
  /** Where better-sqlite3 is installed: `FOREIGN` of `sqlite.ts`. */
  readonly foreign: string
}

/** What a process has written. */
export interface Written {
  readonly writes: number
  /** The longest time for which the event loop was held. */
  readonly maxDelayMs: number
  /** The longest time that a write took. */
  readonly maxWriteMs: number
}

const RESOLUTION_MS = 1

const { file, foreign } = JSON.parse(process.argv[2] ?? '') as SqliteProcessOptions
const [driver] = sqliteDrivers(foreign)
if (driver === undefined) throw new Error('no driver of SQLite is installed')
const store = sqliteStore(driver.open(file))
process.stdin.on('end', () => process.exit()).resume()

/** Writes one value after the other, for some milliseconds. */
async function writeFor(milliseconds: number): Promise<Written> {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const end = performance.now() + milliseconds
  let writes = 0
  let maxWriteMs = 0
  for (let startedAt = performance.now(); startedAt < end; writes += 1) {
    await store.set(`${process.pid} ${writes % 1000}`, 'x'.repeat(500), 3600)
    const endedAt = performance.now()
    maxWriteMs = Math.max(maxWriteMs, endedAt - startedAt)
    startedAt = endedAt
  }
  delays.disable()
  return { writes, maxDelayMs: delays.max / 1e6 - RESOLUTION_MS, maxWriteMs }
}

/** Writes values one after the other. Returns how many were written. */
async function writeCount(count: number): Promise<number> {
  let written = 0
  for (; written < count; written += 1) {
    await store.set(`${process.pid} ${written}`, 'x'.repeat(500), 3600)
  }
  return written
}

/** Writes until the process is killed, and prints the number of each write that has resolved. */
async function writeForEver(): Promise<void> {
  for (let number = 0; ; number += 1) {
    await store.set(`value ${number}`, String(number))
    await store.add('index', String(number).padStart(9, '0'))
    console.log(`event ${number}`)
  }
}

process.on('message', (question: string) => {
  const [verb, amount] = question.split(' ')
  if (verb === 'write') void writeFor(Number(amount)).then((written) => process.send?.(written))
  else if (verb === 'write-count') void writeCount(Number(amount)).then((written) => process.send?.(written))
  else void writeForEver()
})

await store.ping()
console.log('ready 0')
