import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => `${root}${path}`

/** Files that replace modules (`vi.mock`), which must not have been loaded before. */
const WITH_MODULES_OF_THEIR_OWN = [
  'test/flows/keys/{revoking,rotation}.test.ts',
  'test/keys/{key-ring,rotating-keys}.test.ts',
]

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
    globalSetup: ['test/support/required-programs.ts', 'test/support/rsa-keys.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // A busy machine must not refuse a change; what is broken fails twice. At a developer's nothing is tried again.
    retry: process.env['CI'] === undefined ? 0 : 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: WITH_MODULES_OF_THEIR_OWN,
          // Loading all modules anew for each file takes longer than the tests of most files.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own', include: WITH_MODULES_OF_THEIR_OWN } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
