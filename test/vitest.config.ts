import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { testFiles, type TestFile } from './support/files-of-run.ts'
import { storesOfRun } from './support/stores-of-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => `${root}${path}`

// A wrong TEST_STORES ends the run here.
storesOfRun()
const files = testFiles(root)

/** What also runs on Koa 2: everything about being mounted, and flows over the host's own response. */
const ON_KOA_2 = [
  'test/flows/mounting/*.test.ts',
  'test/flows/authorize/{consent,content-negotiation,host-session}.test.ts',
  'test/gateway/gateway.test.ts',
]

/** Projects whose files share loaded modules: loading them again for each file takes longer than most tests. */
function project(name: string, isolate: boolean, belongs: (file: TestFile) => boolean) {
  return {
    extends: true as const,
    test: { name, isolate, include: files.filter(belongs).map((file) => file.path) },
  }
}

export default defineConfig({
  root,
  resolve: {
    // Tests import the package by its public names, and get the sources.
    alias: [
      { find: /^koa-gatehouse$/, replacement: source('src/index.ts') },
      { find: /^koa-gatehouse\/gateway$/, replacement: source('src/gateway.ts') },
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
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One more than the two cores of a small machine: many tests wait for servers.
    maxWorkers: 3,
    // A busy machine must not reject a change; what is broken fails twice. At a developer's nothing is tried again.
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
