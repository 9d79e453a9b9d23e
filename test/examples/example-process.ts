import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'rolldown'
import { EXAMPLES } from '../../rolldown.config.ts'
import { copyPackage, runToEnd, temporaryFolder } from '../support/package-copy.ts'
import { freePorts } from '../support/free-port.ts'

/** A copy of the package with its examples, built as by `npm start`. */
export interface BuiltExamples {
  readonly folder: string
  /**
   * Starts a program on free ports. `environment` adds or replaces environment variables.
   *
   * @param program the server of `npm start` by default
   */
  start(environment?: Readonly<Record<string, string>>, program?: ExampleProgram): Promise<ExampleProcess>
  /** Ends all started processes, and removes the copy of the package. */
  remove(): Promise<void>
}

/** A file of examples/ that runs as a program. */
export interface ExampleProgram {
  /** @default node */
  readonly command?: string
  readonly args: readonly string[]
  /** A word of the instructions that the program prints when it is ready. */
  readonly printsWhenReady: string
}

/** The server of `npm start`. */
const SERVER: ExampleProgram = {
  args: ['--import', './examples/hide-runtime-warning.mjs', 'build/examples/server.js'],
  printsWhenReady: 'Untick',
}

/** The command of the README, in a folder with a copy of the package: it builds the package, and starts the server. */
export const NPM_START: ExampleProgram = {
  ...SERVER,
  command: 'npm',
  args: ['start', '--silent', '--no-update-notifier'],
}

/** A running example. */
export interface ExampleProcess {
  readonly port: number
  readonly partnerPort: number
  readonly spaPort: number
  readonly mcpPort: number
  readonly stdout: () => string
  readonly stderr: () => string
  /**
   * Resolves when the instructions are printed. Rejects with the output if the process ends before the
   * instructions are printed.
   */
  ready(): Promise<void>
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>
  /** Sends a signal, and resolves with the exit code when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Copies the package for `npm start`, which builds it there. No program needs type declarations, so none are built. */
export async function copyExamples(): Promise<BuiltExamples> {
  const { folder, remove } = await copyPackage()
  const file = path.join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  manifest.scripts.build = 'node build.mjs'
  await writeFile(file, JSON.stringify(manifest))
  return examplesIn(folder, remove)
}

/** Builds the package and the examples as `npm start` does, but without type declarations, which no program needs. */
export async function buildExamples(): Promise<BuiltExamples> {
  const { folder, remove } = await copyPackage()
  try {
    await runToEnd(folder, process.execPath, ['build.mjs'])
  } catch (error) {
    await remove()
    throw error
  }
  return examplesIn(folder, remove)
}

/**
 * Packs the package without type declarations, and builds the examples in the packed files. They run on the packed
 * `dist`.
 */
export async function packExamples(): Promise<BuiltExamples> {
  const [copy, unpacked] = await Promise.all([copyPackage(), temporaryFolder('koa-gatehouse-unpacked')])
  const folder = path.join(unpacked.folder, 'package')
  try {
    await runToEnd(copy.folder, process.execPath, ['build.mjs'])
    const pack = ['pack', '--json', '--silent', '--ignore-scripts']
    const [{ filename }] = JSON.parse(await runToEnd(copy.folder, 'npm', pack))
    await runToEnd(unpacked.folder, 'tar', ['-xzf', path.join(copy.folder, filename)])
    await rename(path.join(copy.folder, 'node_modules'), path.join(folder, 'node_modules'))
    await build({ ...EXAMPLES, cwd: folder })
  } catch (error) {
    await unpacked.remove()
    throw error
  } finally {
    await copy.remove()
  }
  return examplesIn(folder, unpacked.remove)
}

function examplesIn(folder: string, remove: () => Promise<void>): BuiltExamples {
  const children: ChildProcess[] = []

  async function start(
    environment: Readonly<Record<string, string>> = {},
    program = SERVER,
  ): Promise<ExampleProcess> {
    const [PORT, PARTNER_PORT, SPA_PORT, MCP_PORT] = (await freePorts(4)).map(String)
    const ports = { PORT, PARTNER_PORT, SPA_PORT, MCP_PORT }
    const {
      REDIS_URL: _redis,
      SQLITE_FILE: _sqlite,
      DATABASE_URL: _database,
      GATEHOUSE_SECRET: _secret,
      ...inherited
    } = process.env
    const env = { ...inherited, ...ports, ...environment }
    // In a group of its own, so that `remove()` also ends what the program has started.
    const child = spawn(program.command ?? process.execPath, program.args, {
      cwd: folder,
      env,
      detached: true,
    })
    children.push(child)
    let stdout = ''
    let stderr = ''
    const ended = once(child, 'close').then(([code]) => code as number | null)
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        stdout += chunk
        if (stdout.includes(program.printsWhenReady)) resolve()
      })
      child.stderr.on('data', (chunk) => (stderr += chunk))
      void ended.then((code) => reject(new Error(`ended with ${code}:\n${stdout}\n${stderr}`)))
    })
    ready.catch(() => {})
    return {
      port: Number(env.PORT),
      partnerPort: Number(env.PARTNER_PORT),
      spaPort: Number(env.SPA_PORT),
      mcpPort: Number(env.MCP_PORT),
      stdout: () => stdout,
      // Leaves out the warning of the store in memory, which is expected at each start.
      stderr: () => stderr.replace(/^the store is in memory.*\n/gm, ''),
      ready: () => ready,
      ended,
      stop(signal = 'SIGTERM') {
        child.kill(signal)
        return ended
      },
    }
  }

  return {
    folder,
    start,
    async remove() {
      for (const { pid } of children) {
        try {
          if (pid !== undefined) process.kill(-pid, 'SIGKILL')
        } catch {
          // The whole group has ended.
        }
      }
      await remove()
    },
  }
}
