import { existsSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

interface Program {
  /** The name of the Debian package. */
  readonly name: string
  readonly names: readonly string[]
  readonly tests: string
  /** Whether `npm test` needs the program. */
  readonly isForQuick?: boolean
}

/** The programs of the system that some tests start. */
const programs: readonly Program[] = [
  { name: 'redis-server', names: ['redis-server'], tests: 'everything on Redis', isForQuick: true },
  {
    name: 'chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    tests: 'everything in a browser',
  },
  { name: 'openssl', names: ['openssl'], tests: 'everything over TLS' },
  { name: 'spin', names: ['spin'], tests: 'the models of test/proof' },
  { name: 'gcc', names: ['gcc'], tests: 'the models of test/proof' },
  { name: 'nginx-light', names: ['nginx'], tests: 'the pages and the API behind nginx' },
]

/**
 * Returns the path of the first of `names` that is in PATH, or undefined if none of them is installed. Debian has servers in
 * `/usr/sbin`, which is not in the PATH of every user.
 */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin']
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file))
}

/** The programs that are not installed and that tests of the running projects start. */
export function missingPrograms(projects: readonly string[]): Program[] {
  const isQuick = projects.every((name) => name.startsWith('quick'))
  return programs.filter(
    ({ names, isForQuick = false }) => (isForQuick || !isQuick) && findProgram(...names) === undefined,
  )
}

/**
 * Runs once before all tests. Tests whose program is missing are skipped, and the reporter says so. With CI=true a missing
 * program is an error, so a green run in CI means that all tests ran.
 */
export default function setup({ vitest }: TestProject): void {
  const missing = missingPrograms(vitest.projects.map(({ name }) => name))
  if (process.env['CI'] !== 'true' || missing.length === 0) return
  throw new Error(
    `not installed: ${missing.map(({ name }) => name).join(', ')}. With CI=true no test is skipped.`,
  )
}
