import { existsSync } from 'node:fs'
import path from 'node:path'

/** Programs of the system that some tests start, and the Debian packages they come in. */
const programs = [
  { name: 'redis-server', names: ['redis-server'], tests: 'everything on Redis' },
  {
    name: 'chromium',
    names: ['chromium', 'chromium-browser', 'google-chrome'],
    tests: 'everything in a browser',
  },
  { name: 'openssl', names: ['openssl'], tests: 'everything over TLS' },
]

/** Where one of `names` is, looked up in PATH as a shell does; undefined if it is not installed. */
export function findProgram(...names: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file))
}

/**
 * Runs once before all tests. Without one of the programs its tests are skipped, and the end of the run says
 * so; with CI=true that is a failure, so that a green run there means that everything ran.
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
