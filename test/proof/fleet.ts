/** The processes of a run, with their links. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startProcess, type Running } from '../../bench/processes.ts'
import { freePorts } from '../support/free-port.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import type { Answer, Asks, HostOptions } from './host.ts'
import type { Settings } from './history.ts'
import type { ProofStore } from './stores.ts'

/** A change of a source file: the run applies it to a copy. */
export interface Patch {
  /** As `src/audit/recording.ts`. */
  readonly file: string
  /** A text that the file has once. */
  readonly replace: string
  readonly by: string
}

export interface FleetOptions {
  readonly settings: Settings
  readonly patches?: readonly Patch[]
}

/** One process: services have the numbers 0 and 1, the API that follows over HTTP has 2. */
export interface Member {
  readonly number: number
  readonly port: number
  /** Whether it is a service, which issues and revokes tokens. */
  readonly isService: boolean
  /** What is between this process and the servers, or the service that it follows. */
  readonly proxies: readonly TcpProxy[]
  /** The errors that the process has logged. */
  readonly errors: readonly string[]
  /** Asks the process. Never rejects: an error is a code, or `no answer`. */
  ask<K extends keyof Asks>(ask: K, about: Asks[K]['about'], withinMs?: number): Promise<Answer<K>>
  /** Ends the process as a crash would, and starts it again. */
  restart(downMs: number): Promise<void>
  pause(): void
  resume(): void
  kill(): Promise<void>
}

export interface Fleet {
  readonly members: readonly Member[]
  readonly services: readonly Member[]
  stop(): Promise<void>
}

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, import.meta.filename.endsWith('.ts') ? '../..' : '../../..')

/** Milliseconds after which an API that is not ready is given up. A start takes some seconds. */
const START_MS = 60_000

/** A fault in the library kept the API from starting, so there is no history. */
export class NotStarted extends Error {}

/** Starts two services, and an API that follows one of them over HTTP. */
export async function startFleet(store: ProofStore, options: FleetOptions): Promise<Fleet> {
  mkdirSync(path.join(root, 'node_modules/.cache'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'node_modules/.cache/proof-'))
  const script = await compile(folder, options.patches ?? [])
  const ports = await freePorts(3)
  const [servicePort = 0] = ports
  const common = {
    ...options.settings,
    servicePort,
    isReplicated: store.isReplicated,
  }
  const start = (member: OwnOptions, onEvent: (error: string) => void) =>
    startProcess<keyof Asks, string>(script, { ...common, ...member }, { onEvent })

  const services: Member[] = []
  for (const number of [0, 1]) {
    const { address, proxies } = await store.link()
    services.push(await startMember({ number, port: ports[number] ?? 0, proxies, store: address }, start))
  }
  const toService = await startTcpProxy(servicePort)
  const follow = await resourceServer(services[0], toService.port)
  const starting = startMember({ number: 2, port: ports[2] ?? 0, proxies: [toService], follow }, start)
  const api = await Promise.race([starting, delay(START_MS, undefined, { ref: false })])
  if (!api) {
    await Promise.all([...services.map((member) => member.kill()), toService.close()])
    rmSync(folder, { recursive: true })
    throw new NotStarted('the API waits for a service that does not let it read the revocations')
  }
  const members = [...services, api]
  return {
    members,
    services,
    async stop() {
      await Promise.all(members.map((member) => member.kill()))
      await toService.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Creates the key with which the API follows the service. */
async function resourceServer(
  service: Member | undefined,
  port: number,
): Promise<NonNullable<HostOptions['follow']>> {
  const key = await service?.ask('createKey', { accountId: 'acme', name: 'API', isResourceServer: true })
  if (!key || 'error' in key) throw new Error(`the key of the API was not created: ${key?.error}`)
  return { uri: `http://127.0.0.1:${port}/auth/oauth2/revocations`, ...key.value }
}

type OwnOptions = Pick<HostOptions, 'port' | 'store' | 'follow'>

async function startMember(
  { number, proxies, ...own }: OwnOptions & { number: number; proxies: readonly TcpProxy[] },
  start: (options: OwnOptions, onEvent: (error: string) => void) => Promise<Running<keyof Asks>>,
): Promise<Member> {
  const { port, store } = own
  const errors: string[] = []
  const startOwn = () => start(own, (error) => void errors.push(error))
  let running = await startOwn()
  return {
    number,
    port,
    isService: store !== undefined,
    proxies,
    errors,
    async ask<K extends keyof Asks>(ask: K, about: Asks[K]['about'], withinMs = 5000): Promise<Answer<K>> {
      try {
        return await running.ask<Answer<K>>(ask, withinMs, about)
      } catch {
        return { error: 'no answer', message: '' }
      }
    },
    async restart(downMs) {
      await running.kill()
      await new Promise((resolve) => setTimeout(resolve, downMs))
      running = await startOwn()
    },
    pause: () => running.pause(),
    resume: () => running.resume(),
    kill: () => running.kill(),
  }
}

/** Compiles the script of the processes, with the patches. @throws if a patch does not fit the sources */
async function compile(folder: string, patches: readonly Patch[]): Promise<URL> {
  const file = path.join(folder, 'patches.json')
  writeFileSync(file, JSON.stringify(patches))
  await run(process.execPath, ['build.mjs', 'test/proof/rolldown.config.ts', file], { cwd: root })
  return pathToFileURL(path.join(folder, 'host.mjs'))
}
