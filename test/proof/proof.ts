/**
 * `npm run proof`: real processes on real servers under faults, and a result on all that clients saw. Prints the seed, what was
 * asked, what was broken, the worst times beside their bounds, and each broken promise. It then exits with 1, and keeps the
 * history. docs/proof.md explains the report.
 *
 * `--minutes 5` (for all stores together), `--stores alone,pair,sentinel,cluster,postgres`, `--seed 7`, `--pause 100`, `--faults process-killed`,
 * `--server valkey-8.0` (after `test/support/other-servers.sh`), `--mutant no-wait`, `--keep` (the history in any case).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withServer, type OtherServer } from '../support/other-servers.ts'
import { MUTANTS } from './mutants.ts'
import { runProof, type RunResult } from './run.ts'
import type { StoreKind } from './stores.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    stores: { type: 'string', default: 'alone,pair,sentinel,cluster' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    pause: { type: 'string', default: '20' },
    faults: { type: 'string' },
    server: { type: 'string' },
    mutant: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const mutant = MUTANTS.find(({ name }) => name === values.mutant)
if (values.mutant !== undefined && !mutant) {
  throw new Error(`no such mutant; there are ${MUTANTS.map(({ name }) => name).join(', ')}`)
}
const stores = mutant ? [mutant.kind] : (values.stores.split(',') as StoreKind[])
const seconds = (Number(values.minutes) * 60) / stores.length
const seed = Number(values.seed)
const server = (values.server as OtherServer | undefined) ?? mutant?.server
console.log(
  `seed ${seed}, ${Math.round(seconds)} s on each of: ${stores.join(', ')}; Node ${process.version}`,
)

let isBroken = false
for (const kind of stores) {
  const result = await withServer(server, () =>
    runProof({
      kind,
      seed,
      seconds,
      pauseMs: Number(values.pause),
      patches: mutant?.patches,
      faults: values.faults?.split(',') ?? mutant?.faults,
    }),
  )
  report(kind, result)
  if (result.violations.length + result.surprises.length > 0 || values.keep) {
    isBroken ||= result.violations.length + result.surprises.length > 0
    keep(kind, result)
  }
}
process.exit(isBroken ? 1 : 0)

function report(kind: StoreKind, { history, violations, undecided, worst, surprises }: RunResult): void {
  const { operations, faults, trail } = history
  console.log(
    `\n== ${kind}: ${operations.length} requests, ${faults.length} faults, ${trail?.length ?? 0} audit entries`,
  )
  const counts: Record<string, Record<string, number>> = {}
  for (const { kind, outcome } of operations) {
    const ofKind = (counts[kind] ??= { ok: 0, fail: 0, unknown: 0 })
    ofKind[outcome] = (ofKind[outcome] ?? 0) + 1
  }
  console.table(counts)
  const injected: Record<string, number> = {}
  for (const { what } of faults) injected[what] = (injected[what] ?? 0) + 1
  console.log('Faults:', injected)
  for (const { what, observedMs, boundMs } of worst) {
    console.log(
      `Worst time: ${what} after ${Math.round(Math.max(0, observedMs))} ms; the bound is ${boundMs} ms`,
    )
  }
  for (const surprise of new Set(surprises)) console.log(`SURPRISE: ${surprise}`)
  for (const { promise, what } of violations) console.log(`BROKEN, ${promise}: ${what}`)
  for (const what of undecided) {
    console.log(`NOT DECIDED, ${what}: too many of its requests have no answer to try all orders`)
  }
  if (violations.length + surprises.length === 0) console.log('No promise is broken.')
}

function keep(kind: StoreKind, result: RunResult): void {
  mkdirSync('build/proof', { recursive: true })
  const file = `build/proof/${kind}-${seed}.json`
  writeFileSync(file, JSON.stringify(result, undefined, 1))
  console.log(`The history is in ${file}`)
}
