import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { sqliteDrivers } from './sqlite.ts'
import type { Command } from './test-files.ts'

interface Program {
  /** The name of the Debian package. */
  readonly name: string
  readonly names: readonly string[]
  readonly tests: string
  /** The first command that needs the program. @default 'all' */
  readonly command?: Command
}

/**
 * The browsers that tests can use. The first has the engine of Chromium without windows, toolbars and menus, so a new page
 * takes a third of the CPU time.
 */
export const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'] as const

/** The programs of the system that some tests start. */
const programs: readonly Program[] = [
  { name: 'redis-server', names: ['redis-server'], tests: 'everything on Redis', command: 'quick' },
  { name: 'chromium-headless-shell', names: BROWSERS, tests: 'everything in a browser' },
  { name: 'openssl', names: ['openssl'], tests: 'everything over TLS', command: 'quick' },
  { name: 'spin', names: ['spin'], tests: 'the models of test/proof', command: 'long' },
  { name: 'gcc', names: ['gcc'], tests: 'the models of test/proof', command: 'long' },
  { name: 'postgresql', names: ['postgres'], tests: 'everything on PostgreSQL' },
  { name: 'nginx-light', names: ['nginx'], tests: 'the pages and the API behind nginx', command: 'quick' },
]

/** Debian has the programs of each version of PostgreSQL in a folder of their own. */
const POSTGRES = '/usr/lib/postgresql'
const postgresFolders = existsSync(POSTGRES)
  ? readdirSync(POSTGRES).map((version) => path.join(POSTGRES, version, 'bin'))
  : []

/**
 * Returns the path of the first of `names` that is in PATH, or undefined if none of them is installed. Debian has servers in
 * folders that are not in the PATH of every user.
 */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', ...postgresFolders]
  return names
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((file) => existsSync(file))
}

/** Whether the packages of `test/foreign` are installed. */
export const hasForeignPackages = existsSync(new URL('../foreign/node_modules', import.meta.url))

/** What the tests of a run need and is not installed: the tests that are skipped, and the command that installs it. */
interface Missing {
  readonly tests: ReadonlySet<string>
  readonly command: string
}

const isQuick = (projects: readonly string[]) => projects.every((name) => name === 'quick')

/** Returns what the tests of `projects` need and is not installed, or undefined if everything is. */
export function findMissing(projects: readonly string[]): Missing | undefined {
  const commands = [
    'quick',
    ...(isQuick(projects) ? [] : ['all']),
    ...(projects.includes('long') ? ['long'] : []),
  ]
  const missing = programs.filter(
    ({ names, command = 'all' }) => commands.includes(command) && findProgram(...names) === undefined,
  )
  const tests = missing.map((each) => each.tests)
  const installing =
    missing.length > 0 ? [`apt-get install ${missing.map(({ name }) => name).join(' ')}`] : []
  if (!hasForeignPackages && !isQuick(projects)) tests.push('other software, Koa 2')
  // On Node.js 20, SQLite is a package with a part that is compiled where it is installed.
  const hasSqlite = sqliteDrivers().length > 0
  if (!hasSqlite) tests.push('SQLite')
  if (!hasForeignPackages && tests.length > missing.length) installing.push('npm ci --prefix test/foreign')
  else if (!hasSqlite) installing.push('npm rebuild better-sqlite3 --prefix test/foreign')
  return tests.length > 0 ? { tests: new Set(tests), command: installing.join(' && ') } : undefined
}

/**
 * Runs once before all tests. Tests whose program is missing are skipped, and the reporter says so. With CI=true a missing
 * program is an error of `npm run test:all`, so a green run in CI means that all tests ran. `npm test` needs `npm ci` alone.
 */
export default function setup({ vitest }: TestProject): void {
  const projects = vitest.projects.map(({ name }) => name)
  const missing = findMissing(projects)
  if (process.env['CI'] !== 'true' || missing === undefined || isQuick(projects)) return
  throw new Error(`With CI=true no test is skipped. Run: ${missing.command}`)
}
