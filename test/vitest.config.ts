import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { testFiles, type TestFile } from './support/files-of-run.ts'
import { storesOfRun, type Deployment } from './support/stores-of-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => `${root}${path}`

const files = testFiles(root)
const stores = storesOfRun()

/**
 * What runs. With the store in memory among the deployments: everything, and flows that make no store for
 * themselves run on that. Without it: what stands on a store runs once on each deployment, all else once.
 */
const projects = stores.includes('memory')
  ? projectsOf('', stores, files)
  : [
      ...projectsOf(
        '',
        stores,
        files.filter(({ onStores }) => !onStores),
      ),
      ...stores.flatMap((store) =>
        projectsOf(
          store,
          [store],
          files.filter(({ onStores }) => onStores),
        ),
      ),
    ]

/** `files` on `deployments`: those that need modules of their own, and those that share them. */
function projectsOf(
  name: string,
  deployments: readonly Deployment[],
  files: readonly TestFile[],
): TestProjectInlineConfiguration[] {
  return [false, true].map((isolate) => ({
    extends: true,
    test: {
      name: [name, isolate ? 'own' : 'shared'].filter((part) => part !== '').join(' '),
      include: files.filter(({ isolated }) => isolated === isolate).map(({ path }) => path),
      // Loading all modules anew for each file takes longer than the tests of most files.
      isolate,
      env: { TEST_STORES: deployments.join(',') },
    },
  }))
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
    maxWorkers: 2,
    // A busy machine must not refuse a change; what is broken fails twice. At a developer's nothing is tried again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects,
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
