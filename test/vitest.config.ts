import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { testFiles, type TestFile } from './support/files-of-run.ts'
import { storesOfRun } from './support/stores-of-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => `${root}${path}`

// If TEST_STORES names an unknown store, this call throws, and no test runs.
storesOfRun()
const files = testFiles(root)

/**
 * Test files that also run on Koa 2. They test how the middleware is mounted, and how it uses Koa's response.
 */
const ON_KOA_2 = [
  'test/flows/mounting/*.test.ts',
  'test/flows/authorize/{consent,content-negotiation,host-session}.test.ts',
  'test/flows/management/{mounting,who-may}.test.ts',
  'test/gateway/gateway.test.ts',
]

/**
 * Defines a project. Without `isolate`, the files of the project share their loaded modules, because loading
 * the modules for each file takes longer than most tests.
 */
function project(name: string, isolate: boolean, belongs: (file: TestFile) => boolean) {
  return {
    extends: true as const,
    test: { name, isolate, include: files.filter(belongs).map((file) => file.path) },
  }
}

export default defineConfig({
  root,
  resolve: {
    // Tests import the package by its public names. vitest resolves these names to the source files.
    alias: [
      { find: /^koa-gatehouse$/, replacement: source('src/index.ts') },
      { find: /^koa-gatehouse\/(gateway|console|management|backup)$/, replacement: source('src/$1.ts') },
      { find: /^koa-gatehouse\/testing$/, replacement: source('src/testing/index.ts') },
      { find: /^koa-gatehouse\/adapters\/(memory|redis)$/, replacement: source('adapters/$1.ts') },
    ],
  },
  test: {
    globalSetup: [
      'test/support/required-programs.ts',
      'test/support/rsa-keys.ts',
      'test/support/start-deployments.ts',
    ],
    // A busy machine takes ten times as long as an idle one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for servers, so a machine with two cores can run four workers.
    maxWorkers: 4,
    // In CI a failed test runs once more, because a busy machine can make a correct test fail. On the machine
    // of a developer no test is repeated.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects: [
      project('shared', false, ({ onStores, isolated }) => !onStores && !isolated),
      project('stores', false, ({ onStores, isolated }) => onStores && !isolated),
      project('own', true, ({ isolated }) => isolated),
      {
        extends: true,
        resolve: { alias: [{ find: /^koa$/, replacement: 'koa-2' }] },
        test: { name: 'koa-2', isolate: false, include: ON_KOA_2, env: { TEST_KOA: '2' } },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
