/** One run: servers, processes and clients under faults, then the check of their history. */
import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../support/fuzz/random.ts'
import { connectAndRefresh, renameTogether, useKeys, useStore, type ClientOptions } from './clients.ts'
import { faultsOf, injectFaults } from './faults.ts'
import { startFleet, type Fleet, type Patch } from './fleet.ts'
import { createRecorder, type History, type Settings } from './history.ts'
import { checkHistory, checkRecorded, worstTimes, type Violation, type WorstTime } from './promises.ts'
import { createRequests } from './requests.ts'
import { startStore, type StoreKind } from './stores.ts'

export interface RunOptions {
  readonly kind: StoreKind
  readonly seed: number
  readonly seconds: number
  /** The faults to inject. @default all that the store has */
  readonly faults?: readonly string[] | undefined
  readonly patches?: readonly Patch[] | undefined
  /** How long to wait for audit entries that are missing. @default as long as docs/audit.md says */
  readonly settleSeconds?: number | undefined
  /** Does not read the audit trail if a promise is broken already. */
  readonly stopsEarly?: boolean | undefined
}

export interface RunResult {
  readonly history: History
  readonly violations: readonly Violation[]
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

export async function runProof(options: RunOptions): Promise<RunResult> {
  const { kind, seed, seconds, patches } = options
  const random = createRandom(seed)
  const store = await startStore(kind)
  const settings: Settings = { ...TIMES, hasFailover: store.isReplicated }
  const fleet = await startFleet(store, {
    settings,
    ...(patches && { patches }),
  })
  const recorder = createRecorder()
  const surprises: string[] = []
  const requests = createRequests({ fleet, recorder, surprises })
  const firstNames: Record<string, string> = {}
  const hasEqualChanges = seconds >= COUNTING_SECONDS
  let isOver = false

  try {
    const application = await fleet.services[0]?.ask('createApplication', { accountId: 'acme' })
    if (!application || 'error' in application) throw new Error(`no application: ${application?.error}`)
    const common = { fleet, requests, settings, hasEqualChanges, isOver: () => isOver }
    const clientOptions = (number: number): ClientOptions => ({
      ...common,
      number,
      random: createRandom(seed + number + 1),
      onKey: (clientId, name) => void (firstNames[clientId] = name),
    })
    const kinds = [
      ...Array<Client>(USERS).fill((each) => connectAndRefresh(each, application.value)),
      ...Array<Client>(OWNERS).fill(useKeys),
      ...Array<Client>(PAIRS).fill(renameTogether),
      ...Array<Client>(STORE_CLIENTS).fill(useStore),
    ]
    const clients = kinds.map((run, number) => run(clientOptions(number)))
    const names = options.faults ?? faultsOf(store)
    const { faults, operations } = recorder
    const onFault = (fault: History['faults'][number]) => void faults.push(fault)
    const injecting = injectFaults({ names, store, fleet, random, onFault, isOver: () => isOver })
    await Promise.race([delay(seconds * 1000), Promise.all(clients)])
    isOver = true
    await Promise.all([...clients, injecting])
    // What was changed last is read once more, after everything works again.
    await delay(1000)
    for (const client of Object.keys(firstNames)) await requests.read(fleet.services[0] ?? fail(), client)

    const history: History = { operations, faults, firstNames, settings }
    const isDecided = options.stopsEarly === true && checkHistory(history).length > 0
    const trail = isDecided
      ? undefined
      : await readTrail(
          fleet,
          history,
          options.settleSeconds ?? (hasEqualChanges ? COUNTED_SECONDS : SETTLE_SECONDS),
        )
    const complete = { ...history, ...(trail && { trail }) }
    return {
      history: complete,
      violations: checkHistory(complete),
      worst: worstTimes(complete),
      surprises: trail || isDecided ? surprises : [...surprises, 'the audit trail could not be read'],
      errors: fleet.members.map(({ errors }) => errors),
    }
  } finally {
    isOver = true
    await fleet.stop()
    await store.stop()
  }
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
