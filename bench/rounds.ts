/** Runs the candidates of the bench in turn, and summarizes the CPU time of their processes. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../test/support/free-port.ts'
import { round, spreadOf, type Spread } from './figures.ts'
import type { Answered, Latency, Load, LoadQuestion, Pace, Saturation } from './load.ts'
import type { PeerOptions, PeerQuestion } from './peer.ts'
import { startProcess, type Running } from './processes.ts'
import { generateKeys, publicJwk, signTokens, type Keys } from './tokens.ts'

/** Filling a store with 100,000 clients takes a minute. */
const FILL_TIMEOUT_MS = 120_000
const RUN_TIMEOUT_MS = 120_000

/** The candidate to which all others are compared. */
export const OURS = 'koa-gatehouse'

export type Peer = Running<PeerQuestion>

/** How long a round takes, and how many rounds there are. */
export interface Schedule {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly pacedSeconds: number
}

/** One line of the result: a candidate with its requests. */
export interface Candidate {
  readonly name: string
  readonly peer: Peer
  readonly load: Omit<Load, 'url'> & { readonly path: string }
  /** The number of requests of the warm-up. @default as many as fit into `warmUpSeconds` */
  readonly warmUpRequests?: number | undefined
  /** The number of requests of a round. @default as many as fit into `seconds` */
  readonly amount?: number | undefined
}

/** The figures of one candidate. CPU times are microseconds a request. */
export interface Result {
  readonly name: string
  readonly cpu: Spread
  readonly user: Spread
  readonly system: Spread
  readonly requestsPerSecond: Spread
  /** CPU time relative to the reference: the median of the ratios of all rounds. */
  readonly ratio: Spread
  readonly latencyMs?: Latency | undefined
}

/** Results of candidates that do the same job. */
export interface Group {
  readonly title: string
  readonly results: readonly Result[]
}

/** The results of one version of Node. */
export interface Report {
  readonly date: string
  /** `load` is the load average of the last minute when the bench began. On a busy machine, trust no latency. */
  readonly machine: { readonly cpu: string; readonly cores: number; readonly load: number }
  readonly node: string
  readonly versions: { readonly [name: string]: string }
  readonly schedule: Schedule
  /** CPU times are microseconds a request; ratios are relative to koa-gatehouse. */
  readonly groups: readonly Group[]
  /** Small and large quantities in turn; ratios are relative to the first line of a group. */
  readonly growth: readonly Group[]
}

interface Round {
  readonly user: number
  readonly system: number
  readonly requestsPerSecond: number
}

/** What the bench starts once: the keys, the address of the public keys, and the process that makes requests. */
export interface Setting {
  readonly keys: Keys
  startPeer(script: string, options?: Partial<PeerOptions>, execArgv?: readonly string[]): Promise<Peer>
  /**
   * Signs tokens for the candidates of the gateway.
   *
   * @param options.peer the candidate that accepts the tokens, if it also has a token endpoint
   * @returns the file that contains the tokens
   */
  writeTokens(options: {
    readonly count: number
    readonly alg?: 'ES256' | 'HS256'
    readonly scopes?: number
    readonly peer?: Peer
  }): Promise<string>
  /** Asks a candidate for its forms. @returns the file that contains them */
  writeForms(peer: Peer, question: 'forms' | 'refreshForms'): Promise<string>
  saturate(saturation: Saturation): Promise<Answered>
  pace(pace: Pace): Promise<Latency>
  close(): void
}

/** The issuer and the audience of candidates that do not issue tokens. */
const GATEWAY = { issuer: 'https://example.com/auth', audience: 'https://example.com/api' }

/** The issuer and the audience of a candidate with a token endpoint. */
function namesAt(port: number) {
  const origin = `http://127.0.0.1:${port}`
  return { issuer: `${origin}/auth`, audience: `${origin}/api` }
}

/** The folder of what imports packages of others, from this one. `npm ci --prefix test/foreign` installs them. */
const FOREIGN = '../test/foreign/bench'
const FOREIGN_PEERS = ['koa-jwt', 'express-oauth2-jwt-bearer', 'fastify-jwt', 'jmondi-oauth2-server']

const urlOfPeer = (script: string) =>
  new URL(`${FOREIGN_PEERS.includes(script) ? FOREIGN : '.'}/peers/${script}.ts`, import.meta.url)

export async function prepare(): Promise<Setting> {
  if (!existsSync('test/foreign/node_modules')) {
    console.error('The bench needs packages that it compares with. Run: npm ci --prefix test/foreign')
    process.exit(1)
  }
  const keys = await generateKeys()
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const jwks = JSON.stringify({ keys: keys.keys.map(publicJwk) })
  const jwksServer = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(jwks)
  })
  await new Promise<void>((resolve) => void jwksServer.listen(0, '127.0.0.1', resolve))
  const jwksUri = `http://127.0.0.1:${(jwksServer.address() as AddressInfo).port}/jwks`
  const load = await startProcess<LoadQuestion>(new URL(`${FOREIGN}/load.ts`, import.meta.url), { port: 0 })
  let files = 0
  const write = (lines: readonly string[]) => {
    const file = path.join(folder, String((files += 1)))
    writeFileSync(file, lines.join('\n'))
    return file
  }

  return {
    keys,
    async startPeer(script, options = {}, execArgv = []) {
      const port = await freePort()
      const names = options.redisPort === undefined ? GATEWAY : namesAt(port)
      const common = { port, ...names, keys: keys.keys, hmacSecret: keys.hmacSecret, jwksUri }
      const all = { ...common, ...options } satisfies PeerOptions
      return startProcess(urlOfPeer(script), all, { execArgv })
    },
    async writeTokens({ count, alg = 'ES256', scopes = 10, peer }) {
      const names = peer ? namesAt(peer.port) : GATEWAY
      return write(await signTokens(keys, { count, alg, scopes, ...names }))
    },
    async writeForms(peer, question) {
      return write(await peer.ask<string[]>(question, FILL_TIMEOUT_MS))
    },
    saturate: (saturation) => load.ask('saturate', RUN_TIMEOUT_MS, saturation),
    pace: (paced) => load.ask('pace', RUN_TIMEOUT_MS, paced),
    close: () => void jwksServer.close(),
  }
}

/** The address of a request to a candidate. */
export function urlOf(peer: Peer, pathname: string): string {
  return `http://127.0.0.1:${peer.port}${pathname}`
}

/**
 * Measures the candidates in turn, round by round, so that a busy machine slows all of them alike.
 *
 * @param reference the name of the candidate to which the ratios refer
 * @param rate the requests per second of the run that measures latencies. Without a rate there is no such run
 */
export async function measure(
  setting: Setting,
  candidates: readonly Candidate[],
  { schedule, reference, rate }: { schedule: Schedule; reference: string; rate?: number | undefined },
): Promise<Result[]> {
  const rounds = new Map(candidates.map(({ name }) => [name, [] as Round[]]))
  for (const candidate of candidates) {
    const amount = candidate.warmUpRequests ?? candidate.amount
    await setting.saturate({ load: loadOf(candidate), seconds: schedule.warmUpSeconds, amount })
  }
  for (let turn = 0; turn < schedule.rounds; turn += 1) {
    for (const candidate of candidates) {
      rounds.get(candidate.name)?.push(await measureRound(setting, candidate, schedule.seconds))
    }
  }
  const results: Result[] = []
  for (const candidate of candidates) {
    const paced = { load: loadOf(candidate), seconds: schedule.pacedSeconds }
    const latencyMs = rate === undefined ? undefined : await setting.pace({ ...paced, rate })
    const summary = summarize(rounds.get(candidate.name) ?? [], rounds.get(reference) ?? [])
    results.push({ name: candidate.name, ...summary, latencyMs })
  }
  return results
}

function loadOf({ peer, load: { path: pathname, ...load } }: Candidate): Load {
  return { url: urlOf(peer, pathname), ...load }
}

async function measureRound(setting: Setting, candidate: Candidate, seconds: number): Promise<Round> {
  const { peer, amount } = candidate
  const before = await peer.ask<NodeJS.CpuUsage>('cpu')
  const answered = await setting.saturate({ load: loadOf(candidate), seconds, amount })
  const after = await peer.ask<NodeJS.CpuUsage>('cpu')
  if (answered.requests === 0) throw new Error(`${candidate.name} answered no request in ${seconds} s`)
  return {
    user: (after.user - before.user) / answered.requests,
    system: (after.system - before.system) / answered.requests,
    requestsPerSecond: answered.requests / answered.seconds,
  }
}

function summarize(rounds: readonly Round[], reference: readonly Round[]): Omit<Result, 'name'> {
  const cpu = (one: Round | undefined) => (one ? one.user + one.system : Number.NaN)
  return {
    cpu: spreadOf(rounds.map(cpu)),
    user: spreadOf(rounds.map(({ user }) => user)),
    system: spreadOf(rounds.map(({ system }) => system)),
    requestsPerSecond: spreadOf(rounds.map(({ requestsPerSecond }) => requestsPerSecond)),
    ratio: spreadOf(rounds.map((one, turn) => cpu(one) / cpu(reference[turn]))),
  }
}

/** Prints the results of a group as a table. */
export function print(title: string, results: readonly Result[]): void {
  console.log(`\n${title}`)
  console.table(
    Object.fromEntries(
      results.map(({ name, cpu, user, system, requestsPerSecond, ratio, latencyMs }) => [
        name,
        {
          'CPU µs': round(cpu.median),
          'min–max': `${cpu.min}–${cpu.max}`,
          user: user.median,
          system: system.median,
          ratio: ratio.median,
          'requests/s': Math.round(requestsPerSecond.median),
          ...(latencyMs && {
            [`p50 ms`]: latencyMs.p50,
            'p99 ms': latencyMs.p99,
            'p99.9 ms': latencyMs.p999,
            'at /s': latencyMs.rate,
          }),
        },
      ]),
    ),
  )
}
