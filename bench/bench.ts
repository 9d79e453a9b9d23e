/**
 * The bench: what a request costs, compared with other ways to check or issue a token. `npm run bench` builds the
 * library, starts everything that it needs, and ends all of it. It runs on Node 20 and later, and needs
 * `redis-server`.
 *
 * It needs the packages that it compares with and its generator of requests, too: `npm ci --prefix test/foreign`.
 *
 * - `npm run bench` compares the candidates of `bench/peers/` and `test/foreign/bench/peers/`; about seven minutes. It stores the results in
 *   `bench/results.json`, and makes the tables of `docs/performance.md` and the chart `docs/images/bench.svg` again.
 * - `npm run bench -- quick` is the same with one short round, and writes nothing.
 * - `npm run bench -- tokens` compares the token endpoints alone, and writes nothing; about three minutes.
 * - `npm run bench -- growth` compares small with large: clients, tokens, operations, scopes, revocations. It stores
 *   its results in the same way.
 * - `npm run bench -- memory` shows the memory of a process over 1,300,000 requests, and what is left after `close()`;
 *   about five minutes.
 * - `npm run bench -- guard` shows what the gateway adds to a call, without HTTP, with an interval of some tenths of a
 *   microsecond; about two minutes. It needs no `redis-server`, and writes nothing.
 * - `npm run bench -- import` shows what importing the package costs a process, compared with importing oidc-provider; about a
 *   minute. It needs no `redis-server`, and writes nothing.
 * - `npm run bench -- stores` compares memory, SQLite, PostgreSQL and Redis, or those that are named: time, CPU, round trips, bytes. It
 *   writes nothing; about two minutes. It needs `postgres` for PostgreSQL.
 */
import { compare } from './compare.ts'
import { measureGrowth } from './growth.ts'
import { measureGuard } from './guard.ts'
import { measureImports } from './imports.ts'
import { measureMemory } from './memory.ts'
import { measureStores } from './stores.ts'

const DEADLINE_MS = 600_000
const SCHEDULE = { rounds: 9, seconds: 0.6, warmUpSeconds: 2, pacedSeconds: 2 }
const QUICK = { rounds: 1, seconds: 0.6, warmUpSeconds: 0.6, pacedSeconds: 0.3 }

setTimeout(() => {
  console.error(`not finished within ${DEADLINE_MS / 1000} s`)
  process.exit(1)
}, DEADLINE_MS).unref()

const started = performance.now()
const [mode = 'compare', ...names] = process.argv.slice(2)
if (mode === 'compare') await compare(SCHEDULE, { writes: true })
else if (mode === 'quick') await compare(QUICK, { writes: false })
else if (mode === 'tokens') await compare(SCHEDULE, { writes: false, isTokensOnly: true })
else if (mode === 'growth') await measureGrowth(SCHEDULE)
else if (mode === 'memory') await measureMemory()
else if (mode === 'guard') await measureGuard()
else if (mode === 'import') await measureImports()
else if (mode === 'stores') await measureStores(names)
else throw new Error(`unknown: ${mode}; known: quick, tokens, growth, memory, guard, import, stores`)
console.log(`\n${Math.round((performance.now() - started) / 1000)} s, Node ${process.version}`)
// Ends all processes that the bench started.
process.exit(0)
