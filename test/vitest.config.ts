import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = (path: string) => `${root}${path}`

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
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/required-programs.ts', 'test/support/rsa-keys.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**', 'adapters/**'],
      reporter: ['text-summary'],
    },
  },
})
