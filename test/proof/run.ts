/** One run: servers, processes and clients under faults, then the check of their history. */
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom, type Random } from '../support/fuzz/random.ts'
import { connectAndRefresh, renameTogether, useKeys, useStore, type ClientOptions } from './clients.ts'
import { faultsOf, injectFaults } from './faults.ts'
import { startFleet, type Fleet, type Patch } from './fleet.ts'
import { createRecorder, type History, type Settings } from './history.ts'
import {
  boundMs,
  checkHistory,
  checkRecorded,
  worstTimes,
  type Findings,
  type WorstTime,
} from './promises.ts'
import { createRequests, type Credentials } from './requests.ts'
import { startStore, type StoreKind } from './stores.ts'

export interface RunOptions {
  readonly kind: StoreKind
  readonly seed: number
  readonly seconds: number
  /** The run goes on until its clients have sent this many requests, however slow the machine is. @default 0 */
  readonly leastRequests?: number | undefined
  /** Milliseconds between two requests of a client, on average. @default 20 */
  readonly pauseMs?: number | undefined
  /** The faults to inject. @default all that the store has */
  readonly faults?: readonly string[] | undefined
  readonly patches?: readonly Patch[] | undefined
  /** How long to wait for audit entries that are missing. @default as long as docs/audit.md says */
  readonly settleSeconds?: number | undefined
  /** The number of configurations after which the search for an order of requests is given up. @default 100,000 */
  readonly maxVisited?: number | undefined
  /** Whether the run reads the audit trail, and so checks `recorded`. @default true */
  readonly readsTrail?: boolean | undefined
}

export interface RunResult extends Findings {
  readonly history: History
  readonly worst: readonly WorstTime[]
  /** Answers that no promise allows, such as a 500. */
  readonly surprises: readonly string[]
  /** What each process has logged as an error. */
  readonly errors: readonly (readonly string[])[]
}

type Client = (options: ClientOptions) => Promise<void>

const TIMES = { graceSeconds: 3, pollSeconds: 1 }
const USERS = 5
const OWNERS = 4
const STORE_CLIENTS = 2
const PAIRS = 2
/** A run of this many seconds has time to wait for the counts of a process that was killed. */
const COUNTING_SECONDS = 900
/** Seconds after which a process has completed what a killed process left, and after which counts are written. */
const SETTLE_SECONDS = 150
const COUNTED_SECONDS = 400
/** Milliseconds that a request may take to be sent. */
const SLACK_MS = 250
/** The most revoked tokens that are tried again at the end. */
const TRIED_AGAIN = 300

export async function runProof(options: RunOptions): Promise<RunResult> {
  const { kind, seed, seconds, leastRequests = 0, patches, pauseMs = 20 } = options
  const random = createRandom(seed)
  const store = await startStore(kind)
  const settings: Settings = { ...TIMES, hasFailover: store.isReplicated }
  const fleet = await startFleet(store, {
    settings,
    ...(patches && { patches }),
  }).catch(async (error: unknown) => {
    await store.stop()
    throw error
  })
  const recorder = createRecorder()
  const surprises: string[] = []
  const requests = createRequests({ fleet, recorder, surprises })
  const firstNames: Record<string, string> = {}
  const revoked: string[] = []
  const hasEqualChanges = seconds >= COUNTING_SECONDS
  let isOver = false

  try {
    const applications = [await createApplication(fleet, false), await createApplication(fleet, true)]
    const common = { fleet, requests, settings, pauseMs, hasEqualChanges, isOver: () => isOver }
    const clientOptions = (number: number): ClientOptions => ({
      ...common,
      number,
      random: createRandom(seed + number + 1),
      onKey: (clientId, name) => void (firstNames[clientId] = name),
      onRevoked: (accessToken) => void revoked.push(accessToken),
    })
    const kinds = [
      ...Array<Client>(USERS).fill((each) =>
        connectAndRefresh(each, applications[each.number % 2] ?? fail()),
      ),
      ...Array<Client>(OWNERS).fill(useKeys),
      ...Array<Client>(PAIRS).fill(renameTogether),
      ...Array<Client>(STORE_CLIENTS).fill(useStore),
    ]
    const clients = kinds.map((run, number) => run(clientOptions(number)))
    const names = options.faults ?? faultsOf(store)
    const { faults, operations } = recorder
    const onFault = (fault: History['faults'][number]) => void faults.push(fault)
    const injecting = injectFaults({ names, store, fleet, random, onFault, isOver: () => isOver })
    const time = async () => {
      await delay(seconds * 1000)
      while (operations.length < leastRequests) await delay(50)
    }
    await Promise.race([time(), Promise.all(clients)])
    isOver = true
    await Promise.all([...clients, injecting])
    // After everything works again, what was changed is read once more, and revoked tokens are tried once more.
    await delay(boundMs(settings) + SLACK_MS)
    const [service = fail()] = fleet.services
    const changed = new Set(operations.flatMap((each) => (each.kind === 'change' ? [each.client] : [])))
    for (const client of new Set([...Object.keys(firstNames), ...changed])) {
      await (client in firstNames ? requests.read(service, client) : requests.readEntry(service, client))
    }
    for (const token of sample(revoked, random)) {
      await Promise.all(fleet.members.map((member) => requests.call(member, token)))
    }

    const history: History = { operations, faults, firstNames, settings }
    const { readsTrail = true, settleSeconds = hasEqualChanges ? COUNTED_SECONDS : SETTLE_SECONDS } = options
    const trail = readsTrail ? await readTrail(fleet, history, settleSeconds) : undefined
    const complete = { ...history, ...(trail && { trail }) }
    if (readsTrail && !trail) surprises.push('the audit trail could not be read')
    return {
      history: complete,
      ...checkHistory(complete, options.maxVisited),
      worst: worstTimes(complete),
      surprises,
      errors: fleet.members.map(({ errors }) => errors),
    }
  } finally {
    isOver = true
    await fleet.stop()
    await store.stop()
  }
}

/** Creates an application that needs no consent, on the first service. */
async function createApplication(fleet: Fleet, isPublic: boolean): Promise<Credentials> {
  const answer = await (fleet.services[0] ?? fail()).ask('createApplication', { accountId: 'acme', isPublic })
  if ('error' in answer) throw new Error(`no application: ${answer.error}`)
  return answer.value
}

function sample(tokens: readonly string[], random: Random): readonly string[] {
  return tokens.length <= TRIED_AGAIN
    ? tokens
    : Array.from({ length: TRIED_AGAIN }, () => random.pick(tokens))
}

/**
 * Reads the audit trail. If entries are missing, waits until the processes have completed what they, or killed processes, left:
 * they look every minute.
 */
async function readTrail(fleet: Fleet, history: History, settleSeconds: number): Promise<History['trail']> {
  const [service = fail()] = fleet.services
  const until = performance.now() + settleSeconds * 1000
  for (;;) {
    await delay(500)
    const answer = await service.ask('trail', null, 60_000)
    const trail = 'value' in answer ? answer.value : undefined
    const isComplete = trail && checkRecorded({ ...history, trail }).length === 0
    if (isComplete || performance.now() > until) return trail
    await delay(5000)
  }
}

function fail(): never {
  throw new Error('the run has no service')
}
