import { endpointRequest } from './endpoint-requests.ts'
import {
  GENERATED_FROM,
  startFuzzHost,
  type FuzzHost,
  type FuzzHostKeys,
  type FuzzHostOptions,
} from './fuzz-host.ts'
import { gatewayRequest } from './gateway-requests.ts'
import { createMaterial, type Material } from './material.ts'
import { mutated } from './mutations.ts'
import { judge, type Finding } from './oracle.ts'
import { createRandom, type Random } from './random.ts'
import { bytesOf, type FuzzRequest } from './request.ts'
import { shrink } from './shrink.ts'
import type { Outcome, SendOptions } from './driver.ts'

/** The options of `fuzz()`. */
export interface FuzzOptions {
  readonly seed: number
  /** Number of requests. */
  readonly count: number
  /** Number of the first request, if other processes send the earlier requests. @default 0 */
  readonly first?: number | undefined
  readonly keys: FuzzHostKeys
  /** Number of requests to one host, which is a host under test. @default 25,000 */
  readonly perHost?: number | undefined
  /** Share of requests over real sockets. @default 0.02 */
  readonly outside?: number | undefined
  /** Options of the host that replace the defaults. */
  readonly fuzzHost?: Partial<FuzzHostOptions> | undefined
  /** Number of findings of each class whose request is shortened. Others keep their request. @default 4 */
  readonly shortened?: number | undefined
  /** Called when a finding of a new cause is met, before its request is shortened. */
  readonly onFinding?: ((met: Met) => void) | undefined
  /** Called after each host is closed. */
  readonly onStand?: ((progress: Progress) => void) | undefined
}

export interface Progress {
  readonly sent: number
  readonly findings: number
}

/** The result of `fuzz()`. It has one finding for each cause. */
export interface Report {
  readonly sent: number
  readonly statuses: ReadonlyMap<number, number>
  /** Number of calls of API handlers. */
  readonly runs: number
  readonly findings: readonly Found[]
}

/** A finding at the moment when it is met. */
export interface Met {
  readonly finding: Finding
  /** The request as it was generated. */
  readonly request: FuzzRequest
  /** The position of the request, which together with the seed generates it again. */
  readonly number: number
}

export interface Found extends Finding {
  readonly times: number
  /** A short request that leads to the finding. */
  readonly request: FuzzRequest
}

/** Number of concurrent requests. */
const CONCURRENCY = 24
/** Number of requests after which the parts for new requests (codes, cookies, forms) are renewed. */
const REFILL_INTERVAL = 1000

/** Starts several hosts in turn, sends generated requests to each host, and judges each outcome. */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  const { seed, count, first = 0, keys, perHost = 25_000, outside = 0.02, shortened = 4 } = options
  const statuses = new Map<number, number>()
  const found = new Map<string, { finding: Finding; times: number; request: FuzzRequest }>()
  let sent = 0
  let runs = 0

  for (let turn = 0; sent < count; turn += 1) {
    const fuzzHost = await startFuzzHost({
      keys,
      hasHostSession: turn % 2 === 1,
      hasBodyParser: turn % 4 >= 2,
      isOpen: turn % 3 === 1,
      ...options.fuzzHost,
    })
    const unwatch = watchProcess(fuzzHost)
    try {
      await fuzzOneHost(fuzzHost, first + sent, Math.min(perHost, count - sent))
    } finally {
      unwatch()
      await fuzzHost.close()
    }
    options.onStand?.({ sent, findings: found.size })
  }
  return {
    sent,
    statuses,
    runs,
    findings: [...found.values()].map(({ finding, times, request }) => ({ ...finding, times, request })),
  }

  async function fuzzOneHost(fuzzHost: FuzzHost, from: number, requests: number): Promise<void> {
    const material = await createMaterial(fuzzHost)
    const running = new Set<Promise<void>>()
    for (let at = 0; at < requests; at += 1) {
      if (at % REFILL_INTERVAL === 0) await material.refill()
      if (running.size >= CONCURRENCY) await Promise.race(running)
      const one = sendOne(fuzzHost, material, from + at).finally(() => running.delete(one))
      running.add(one)
    }
    await Promise.all(running)
  }

  async function sendOne(fuzzHost: FuzzHost, material: Material, number: number): Promise<void> {
    const random = randomOf(seed, number)
    const request = generate(random, material, [...fuzzHost.servers.keys()])
    const way = wayOf(request, random, outside)
    const outcome = await send(fuzzHost, request, way)
    sent += 1
    runs += outcome.runs.length
    for (const { status } of outcome.answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const stray = fuzzHost.driver.takeStray()
    const whole = stray.length === 0 ? outcome : { ...outcome, incidents: [...outcome.incidents, ...stray] }
    for (const finding of judge(request, whole, material)) {
      await record({ finding, request, number }, fuzzHost, material, way)
    }
    material.learn(request, outcome)
  }

  async function record(met: Met, fuzzHost: FuzzHost, material: Material, way: SendOptions): Promise<void> {
    const { finding, request } = met
    const key = `${finding.class}: ${finding.detail}`
    const known = found.get(key)
    if (known) {
      known.times += 1
      return
    }
    const ofClass = [...found.values()].filter((one) => one.finding.class === finding.class)
    const entry = { finding, times: 1, request }
    found.set(key, entry)
    options.onFinding?.(met)
    if (ofClass.length >= shortened) return
    entry.request = await shrink(request, async (candidate) => {
      const outcome = await send(fuzzHost, candidate, { ...way, isCut: isCutOff(candidate) })
      return judge(candidate, outcome, material).some(
        (one) => one.class === finding.class && one.detail === finding.detail,
      )
    })
  }
}

function generate(random: Random, material: Material, servers: readonly string[]): FuzzRequest {
  if (random.chance(0.55))
    return mutated(gatewayRequest(random, material, servers), random, material, 'gateway')
  return mutated(endpointRequest(random, material), random, material, 'endpoint')
}

function wayOf(request: FuzzRequest, random: Random, outside: number): SendOptions {
  return {
    isCut: isCutOff(request),
    isOutside: random.chance(outside),
    address: `${GENERATED_FROM}${random.below(200)}.${random.below(250)}`,
  }
}

/**
 * Returns whether the sender closes its side right after the last byte, because the request may announce more
 * bytes than it has.
 */
function isCutOff({ headers, body }: FuzzRequest): boolean {
  const names = headers.map(([name]) => name.trim().toLowerCase())
  const isFramed = names.some((name) => FRAMING.includes(name))
  return isFramed || (body?.missing ?? 0) > 0
}

const FRAMING = ['content-length', 'transfer-encoding', 'expect', 'upgrade']

/** Returns the random choices of one request. They do not depend on other requests. */
function randomOf(seed: number, number: number): Random {
  return createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b))
}

function send(fuzzHost: FuzzHost, request: FuzzRequest, way: SendOptions): Promise<Outcome> {
  const server = fuzzHost.servers.get(request.server)
  if (!server) throw new Error(`the host has no server ${request.server}`)
  return fuzzHost.driver.send(server, bytesOf(request), way)
}

/** Turns uncaught errors into findings, so that they do not end the process. */
function watchProcess({ driver }: FuzzHost): () => void {
  const onUncaught = (value: unknown) => driver.note({ kind: 'uncaught', value })
  process.on('uncaughtException', onUncaught)
  process.on('unhandledRejection', onUncaught)
  return () => {
    process.off('uncaughtException', onUncaught)
    process.off('unhandledRejection', onUncaught)
  }
}
