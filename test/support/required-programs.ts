import { existsSync } from 'node:fs'
import path from 'node:path'

/** The programs of the system that some tests start. `name` is the name of the Debian package. */
const programs = [
  { name: 'redis-server', names: ['redis-server'], tests: 'everything on Redis' },
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

/**
 * Runs once before all tests. If a program is missing, the tests that need it are skipped, and a message at
 * the end of the run names the program. With CI=true a missing program is a failure, so a green run in CI
 * means that all tests ran.
 */
export default function setup(): () => void {
  const missing = programs.filter(({ names }) => findProgram(...names) === undefined)
  const lines = missing.map(
    ({ name, tests }) => `${name} is not installed; skipped: ${tests}. To get it: apt-get install ${name}`,
  )
  if (process.env['CI'] === 'true' && lines.length > 0) throw new Error(lines.join('\n'))
  return () => {
    if (lines.length > 0) console.log(`\n${lines.join('\n')}\n`)
  }
}
