import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Files that replace modules with `vi.mock`. Such a file runs in a worker that has loaded no other file. */
const WITH_MODULES_OF_THEIR_OWN = new Set([
  'test/flows/backup/export-and-import.test.ts',
  'test/flows/host/audit.killed-at-each-write.test.ts',
  'test/flows/keys/lost-redis.test.ts',
  'test/flows/keys/revoking.test.ts',
  'test/flows/keys/rotation.test.ts',
  'test/gateway/verify-own-token.test.ts',
  'test/keys/key-ring.test.ts',
  'test/keys/key-ring-loader.lost-data.test.ts',
  'test/keys/rotating-keys.test.ts',
])

/**
 * Flows that do not run on the stores of TEST_STORES. They use a store in memory, or start a Redis, or start
 * a program that has its own store.
 */
const WITH_STORES_OF_THEIR_OWN = new Set(
  [
    'store/at-rest',
    'attacks/expensive-requests',
    'attacks/fuzz',
    'attacks/growth',
    'attacks/tokens',
    'browser/delegated.browser',
    'store/faults',
    'store/corrupt-records',
    'store/redis-unavailable',
    'store/round-trips',
    'token/refresh-grace-period-faults',
    'token/store-hangs',
    'store/sizes',
    'lifecycle/start-up',
    'revocation/gateway-staleness',
    'revocation/healed-link',
    'host/unknown-options',
  ].map((name) => `test/flows/${name}.test.ts`),
)

/** A file with tests. */
export interface TestFile {
  /** The path from the root of the repository. */
  readonly path: string
  /** Whether the tests of the file run on the stores that TEST_STORES names. */
  readonly onStores: boolean
  /** Whether the file needs modules that no other file has loaded. */
  readonly isolated: boolean
}

/**
 * Lists all files with tests. Flows run on the stores that TEST_STORES names, except for the flows above.
 * Other files run on these stores only if they call a function such as `describeEachStore`.
 */
export function testFiles(root: string): TestFile[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join('test', file.replaceAll(path.sep, '/')))
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => ({
      path: file,
      isolated: WITH_MODULES_OF_THEIR_OWN.has(file),
      onStores:
        (file.startsWith('test/flows/') && !WITH_STORES_OF_THEIR_OWN.has(file)) ||
        /\bdescribe(On)?Each\w+\(/.test(readFileSync(path.join(root, file), 'utf8')),
    }))
}
