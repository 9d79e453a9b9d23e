import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type ProjectConfig, type TestSpecification } from 'vitest/node'
import { ENTRIES } from '../rolldown.config.ts'
import QuietReporter from './support/quiet-reporter.ts'
import { hasForeignPackages } from './support/required-programs.ts'
import { storesOfRun } from './support/stores-of-run.ts'
import { compiledSources, quickKeys } from './support/compiled-sources.ts'
import { findTestFiles, isQuickOnRedis, type TestFile } from './support/test-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const WITHOUT_WARNING = new URL('../examples/hide-runtime-warning.mjs', import.meta.url).href
const files = findTestFiles().filter(({ name }) => hasForeignPackages || !name.startsWith('test/foreign/'))

/** The deployments on which a run repeats the marked files; undefined if the run has all files. */
const deployments = process.env['TEST_STORES']

// If TEST_STORES names an unknown deployment, this call throws, and no test runs.
storesOfRun()

/** vitest loads the sources itself if it counts what of them is executed, or runs again what depends on a changed file. */
const isForNode = process.argv.includes('run') && !process.argv.includes('--coverage')
const usualSources = compiledSources('usual')
const KOA_2 = `${root}test/foreign/node_modules/koa-2`

/** The order of the projects in a run. */
const ORDER = ['others', 'redis', 'sqlite', 'koa-2', 'quick', 'long']

/**
 * The files of one project run one after another, because a worker ends if the next file is of another project, and a new
 * worker loads all modules again. In a project, files that take long begin first. Otherwise the run waits for them at its end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(sorted: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\.(browser|package|faults)\./.test(moduleId)
    const place = ({ project: { name } }: TestSpecification) => ORDER.indexOf(name)
    // oxlint-disable-next-line unicorn/no-array-sort -- this is the method of the sequencer
    const others = await super.sort(sorted.filter((each) => !isLong(each)))
    return [...sorted.filter(isLong), ...others].toSorted((one, other) => place(one) - place(other))
  }
}

/**
 * Defines a project, whose tests use `stores` as TEST_STORES. Its files share their loaded modules, because loading the
 * modules for each file takes longer than most tests.
 */
function project(
  name: string,
  stores: string,
  belongs: (file: TestFile) => boolean,
  options: ProjectConfig = {},
) {
  const include = files.filter(belongs).map((file) => file.name)
  return {
    extends: true as const,
    plugins: isForNode ? [usualSources] : [],
    test: { name, isolate: false, include, env: { TEST_STORES: stores, TEST_PROJECT: name }, ...options },
  }
}

/** Which files of the class `redis`, and which marked files, run on Redis, unless `npm test` runs them on Redis. */
const runsOnRedis = (file: TestFile) =>
  deployments === undefined
    ? file.class === 'redis' || (file.marks.includes('Redis') && !isQuickOnRedis(file.name))
    : file.marks.includes('Redis')

const projects = [
  project('quick', 'memory', ({ command }) => command === 'quick'),
  project('redis', deployments ?? 'redis', runsOnRedis),
  project(
    'sqlite',
    'sqlite',
    ({ name, marks }) => deployments === undefined && marks.includes('Redis') && isQuickOnRedis(name),
  ),
  project('others', 'memory', (file) => file.command === 'all' && file.class !== 'redis'),
  {
    ...project('koa-2', 'memory', ({ marks }) => hasForeignPackages && marks.includes('Koa 2'), {
      env: { TEST_STORES: 'memory', TEST_KOA: '2' },
    }),
    plugins: isForNode ? [compiledSources('koa-2', { koa: `${KOA_2}/dist/koa.mjs` })] : [],
    resolve: { alias: [{ find: /^koa$/, replacement: KOA_2 }] },
  },
]

export default defineConfig({
  root,
  resolve: {
    // Tests import the package by its public names. vitest resolves these names to the source files.
    alias: ENTRIES.map(({ name, source }) => ({ find: new RegExp(`^${name}$`), replacement: root + source })),
  },
  plugins: [quickKeys],
  test: {
    globalSetup: [
      'test/support/required-programs.ts',
      'test/support/rsa-keys.ts',
      'test/support/start-deployments.ts',
    ],
    sequence: { sequencer: LongestFirst },
    reporters: [new QuietReporter()],
    // What a test and its child processes print is part of the report only if the test fails.
    silent: 'passed-only',
    // oidc-provider prints this line when Node 20 loads it: docs/warnings-in-the-log.md says what it means. Child processes get
    // the flag `--import` of this process.
    onConsoleLog: (line) => !line.includes('oidc-provider WARNING: Unsupported runtime'),
    // A busy machine takes ten times as long as an idle one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // As long as `until` waits.
    expect: { poll: { timeout: 20_000 } },
    // Many tests wait for servers, so a machine with two cores can run three workers. With a fourth, the modules are loaded once more.
    maxWorkers: 3,
    // What vitest made of a file is kept in node_modules, so that the next run need not make it again.
    experimental: { fsModuleCache: true },
    // Hosts that live for a second fill the young generation. If it is larger, V8 collects it less often.
    // Hostile URLs, which some tests send, are deprecated (DEP0170).
    execArgv: ['--max-semi-space-size=64', `--import=${WITHOUT_WARNING}`, '--disable-warning=DEP0170'],
    // In CI a failed test runs once more, because a busy machine can make a correct test fail. The report lists these tests.
    // On the machine of a developer no test is repeated.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects:
      process.env['TEST_LONG'] === undefined
        ? projects
        : [project('long', 'memory,redis', ({ command }) => command === 'long')],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
