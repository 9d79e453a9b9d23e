import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type ProjectConfig, type TestSpecification } from 'vitest/node'
import { ENTRIES } from '../rolldown.config.ts'
import { NO_STORES, storesOfRun } from './support/stores-of-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

// If TEST_STORES names an unknown store, this call throws, and no test runs.
storesOfRun()

/** Whether to run the files that only `npm run test:long` runs, or the others. */
const isLongRun = process.env['TEST_LONG'] !== undefined

/** The files with tests, and their texts. */
const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && name.includes('.long.') === isLongRun)
  .map((name) => `test/${name}`)
  .map((name) => ({ name, text: readFileSync(root + name, 'utf8') }))
type TestFile = (typeof files)[number]

/** Whether a file replaces modules. It needs modules that no other file has loaded. */
const replacesModules = ({ text }: TestFile) => text.includes('vi.mock(')

/**
 * Whether a file runs on the stores that TEST_STORES names: a flow whose name does not say `own-store`, and a file that
 * calls a function such as `describeEachStore`. In every other file these stores throw.
 */
const usesStores = ({ name, text }: TestFile) =>
  (name.startsWith('test/flows/') && !name.endsWith('.own-store.test.ts')) ||
  /\bdescribe(On)?Each\w+\(/.test(text)

/**
 * Test files that also run on Koa 2. They test how the middleware is mounted, and how it uses Koa's response.
 */
const ON_KOA_2 = [
  'test/flows/mounting/!(changed-paths).test.ts',
  'test/flows/authorize/{consent,content-negotiation,host-session}.test.ts',
  'test/flows/management/{mounting,who-may}.test.ts',
  'test/gateway/gateway.test.ts',
]

const LONG =
  /(every-page|delegated)\.browser|\/(expiry|histories|endpoints|expensive-requests|regular-expressions)\./

/** The files that take a minute begin first. Otherwise the run waits for them at its end. */
class LongestFirst extends BaseSequencer {
  override async sort(sorted: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    // oxlint-disable-next-line unicorn/no-array-sort -- this is the method of the sequencer
    const others = await super.sort(sorted.filter((each) => !isLong(each)))
    return [...sorted.filter(isLong), ...others]
  }
}

/**
 * Defines a project. Without `isolate`, the files of the project share their loaded modules, because loading
 * the modules for each file takes longer than most tests.
 */
function project(name: string, belongs: (file: TestFile) => boolean, options: ProjectConfig = {}) {
  const include = files.filter(belongs).map((file) => file.name)
  return { extends: true as const, test: { name, isolate: false, include, ...options } }
}

export default defineConfig({
  root,
  resolve: {
    // Tests import the package by its public names. vitest resolves these names to the source files.
    alias: ENTRIES.map(({ name, source }) => ({ find: new RegExp(`^${name}$`), replacement: root + source })),
  },
  test: {
    globalSetup: [
      'test/support/required-programs.ts',
      'test/support/rsa-keys.ts',
      'test/support/start-deployments.ts',
    ],
    sequence: { sequencer: LongestFirst },
    // A busy machine takes ten times as long as an idle one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for servers, so a machine with two cores can run four workers.
    maxWorkers: 4,
    // Hosts that live for a second fill the young generation. If it is larger, V8 collects it less often.
    execArgv: ['--max-semi-space-size=64'],
    // In CI a failed test runs once more, because a busy machine can make a correct test fail. On the machine
    // of a developer no test is repeated.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects: [
      project('shared', (file) => !usesStores(file) && !replacesModules(file), {
        env: { TEST_STORES: NO_STORES },
      }),
      project('stores', (file) => usesStores(file) && !replacesModules(file)),
      project('own', replacesModules, { isolate: true }),
      {
        extends: true,
        resolve: { alias: [{ find: /^koa$/, replacement: 'koa-2' }] },
        test: { name: 'koa-2', isolate: false, include: isLongRun ? [] : ON_KOA_2, env: { TEST_KOA: '2' } },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
