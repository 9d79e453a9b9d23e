import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)
const PARTS = [
  'package.json',
  'tsconfig.json',
  'rolldown.config.ts',
  'build.mjs',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'src',
  'adapters',
  'examples',
]

/** Makes a temporary folder. `remove()` deletes the folder. */
export async function temporaryFolder(name: string): Promise<{ folder: string; remove(): Promise<void> }> {
  // Node resolves modules from real paths, and on some systems /tmp is a symbolic link.
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), `${name}-`)))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/**
 * Copies this package in the state of a clone after `npm ci`. A build in the copy changes neither the files
 * of another test nor the developer's `dist`.
 */
export async function copyPackage(): Promise<{ folder: string; remove(): Promise<void> }> {
  const copy = await temporaryFolder('koa-gatehouse-copy')
  await mkdir(copy.folder, { recursive: true })
  await Promise.all(
    PARTS.map((part) => cp(path.join(root, part), path.join(copy.folder, part), { recursive: true })),
  )
  await symlink(path.join(root, 'node_modules'), path.join(copy.folder, 'node_modules'))
  return copy
}

/** Runs a program. Resolves with its standard output, or rejects with all its output if the program fails. */
export async function runToEnd(
  folder: string,
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { cwd: folder, env: { ...process.env, ...environment }, maxBuffer: 2 ** 24 }
    const { stdout } = await run(program, [...args], options)
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}
