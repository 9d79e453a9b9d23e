import { spawn, type ChildProcess } from 'node:child_process'
import { symlink } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { GatehouseOptions } from 'koa-gatehouse'
import { build } from 'rolldown'
import { ENTRIES, OPTIONS } from '../../rolldown.config.ts'
import { temporaryFolder } from './package-copy.ts'
import type { SharedDeployment } from './stores-of-run.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The options of a host in a process of its own, passed as JSON. */
export interface HostProcessOptions {
  /** The store: the address of a Redis or of a PostgreSQL, or a deployment that TEST_STORES names. */
  readonly redisUrl?: string | undefined
  readonly databaseUrl?: string | undefined
  readonly deployment?: SharedDeployment | undefined
  readonly keyPrefix: string
  /** {auth_url} and {base_url}. @default the addresses of the process */
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  /** The option `resources` of the gatehouse. */
  readonly resources?: GatehouseOptions['resources']
  /** The resource whose gateway the process mounts, instead of that of the API. */
  readonly guarded?: string | undefined
  readonly secret?: string | readonly string[] | undefined
  readonly refreshTokenGraceSeconds?: number | undefined
  readonly storeTimeoutMs?: number | undefined
  /** Milliseconds by which the clock of the process is ahead. @default 0 */
  readonly clockOffsetMs?: number | undefined
  /**
   * A JSON file with what `accounts.find` returns, by `account` or `account/user`. The process reads it at each call, as
   * a database that several processes use. @default the accounts of `startHost()`
   */
  readonly accountsFile?: string | undefined
  /** The number of API keys that the process creates and then renames again and again. @default 0 */
  readonly renamedKeys?: number | undefined
  /** Whether the renames of a key are equal acts: they name no actor. @default false */
  readonly areRenamesEqual?: boolean | undefined
}

/** A host in a process of its own. */
export interface HostProcess {
  readonly pid: number
  readonly port: number
  /** `http://localhost:port/auth`, which may differ from the issuer. */
  readonly address: string
  /** The names of the events that gatehouse emitted in the process. */
  readonly events: readonly string[]
  /** The actors of the renames that were answered: `<client id>/<number from 1>`. */
  readonly renames: readonly string[]
  /** Sends a message to the process, and resolves with the message that it answers. One question at a time. */
  ask(question: string): Promise<unknown>
  /** Sends SIGTERM, on which the process calls `shutdown()`. Resolves with the exit code. */
  terminate(): Promise<number | null>
  /** Kills the process. Idempotent. */
  stop(): Promise<void>
}

/** A compiled host. The host can be started any number of times. */
export interface HostProgram<Options = HostProcessOptions> {
  /** Settles when the process is ready; rejects with its output if it exits before. */
  start(options: Options): Promise<HostProcess>
  /** Kills all processes that were started, and removes the program. */
  remove(): Promise<void>
}

/**
 * Bundles a program with the sources into a temporary folder, because the oldest supported Node cannot run TypeScript. The
 * bundler checks no types.
 *
 * @param main the file in this folder that starts the host
 */
export async function compileHostProgram<Options = HostProcessOptions>(
  main = 'host-process-main',
): Promise<HostProgram<Options>> {
  const { folder, remove } = await temporaryFolder('koa-gatehouse-host')
  const program = path.join(folder, 'program.mjs')
  await build({
    ...OPTIONS,
    input: `test/support/${main}.ts`,
    resolve: {
      alias: Object.fromEntries(ENTRIES.map(({ name, source }) => [`${name}$`, `${root}/${source}`])),
    },
    external: (name) => OPTIONS.external.test(name) && !name.startsWith('koa-gatehouse'),
    // The program is one file.
    checks: { ineffectiveDynamicImport: false },
    output: { file: program, codeSplitting: false },
  })
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))

  const children: ChildProcess[] = []
  return {
    async start(options) {
      // The host exits when its input ends, so it never outlives this process.
      const child = spawn(process.execPath, [program, JSON.stringify(options)], {
        stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
      })
      children.push(child)
      return started(child as StartedChild)
    },
    async remove() {
      await Promise.all(children.map(end))
      await remove()
    },
  }
}

type StartedChild = ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream }

async function started(child: StartedChild) {
  const events: string[] = []
  const renames: string[] = []
  let printed = ''
  child.stderr.on('data', (chunk) => (printed += String(chunk)))
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const [kind = '', value = ''] = line.split(' ')
      if (kind === 'event') events.push(value)
      if (kind === 'renamed') renames.push(value)
      if (kind === 'ready') resolve(Number(value))
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`the host ended with ${code}:\n${printed}`)))
  })
  const process: HostProcess = {
    pid: child.pid ?? 0,
    port,
    address: `http://localhost:${port}/auth`,
    events,
    renames,
    ask(question) {
      child.send(question)
      return new Promise((resolve) => child.once('message', resolve))
    },
    async terminate() {
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      return closed
    },
    stop: () => end(child),
  }
  return process
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}
