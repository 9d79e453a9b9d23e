/** The promises of the library, each as a function that finds in a history what breaks it. */
import { familyPromise } from './family.ts'
import type { Call, EndFamily, Entry, Exchange, History, Operation, Read, Change, Revoke } from './history.ts'
import { FEED_TIMEOUT_MS } from '../../src/revocation/http-source.ts'
import { checkLinearizable, type Result, type Specification } from './linearizable.ts'

/** The names of the promises, as `docs/proof.md` explains them. */
export type PromiseName = 'one-time' | 'revoked' | 'kept' | 'recorded' | 'issued'

/** A promise that a history breaks. */
export interface Violation {
  readonly promise: PromiseName
  readonly what: string
  /** The operations that show it, in the order of their requests. */
  readonly operations: readonly Operation[]
}

/** What the check of a history finds. */
export interface Findings {
  readonly violations: readonly Violation[]
  /** Families and records of which so many requests have no answer that their orders are too many to try. */
  readonly undecided: readonly string[]
}

/** The worst time of a promise that has a bound. */
export interface WorstTime {
  readonly what: string
  /** Milliseconds since the link stayed. */
  readonly observedMs: number
  readonly boundMs: number
}

/** Milliseconds by which times that the run measures may differ from those that the service measures. */
const SLACK_MS = 750
/** Milliseconds for which an entry that could not be listed waits in the memory of its process, when the fault is over. */
const IN_MEMORY_MS = 15_000
/** Milliseconds for which a code lives. */
const CODE_LIFETIME_MS = 60_000

/**
 * Checks all promises.
 *
 * @param maxVisited the number of configurations after which the search for an order of requests is given up
 */
export function checkHistory(history: History, maxVisited?: number): Findings {
  const undecided: string[] = []
  const violations = [
    ...checkOneTime(history, undecided, maxVisited),
    ...checkRevoked(history),
    ...checkKept(history, undecided, maxVisited),
    ...checkRecorded(history),
    ...checkIssued(history),
  ]
  return { violations, undecided }
}

/** Each code and each refresh token is used once, and the last token of a living family works. */
function checkOneTime(
  { operations, settings, faults }: History,
  undecided: string[],
  maxVisited?: number,
): Violation[] {
  const families = group(
    operations.filter(
      (each): each is Exchange | EndFamily => each.kind === 'exchange' || each.kind === 'end-family',
    ),
    ({ family }) => family,
  )
  return [...families].flatMap(([family, ofFamily]) => {
    const code = ofFamily.find(
      (each): each is Exchange => each.kind === 'exchange' && each.isCode,
    )?.credential
    const from = Math.min(...ofFamily.map(({ invoke }) => invoke)) - CODE_LIFETIME_MS
    const wasFault = faults.some((fault) => fault.to > from)
    const promise = familyPromise(code ?? '', {
      graceSeconds: settings.graceSeconds,
      slackMs: SLACK_MS,
      mayLoseCode: settings.hasFailover && wasFault,
    })
    return unexplained(
      'one-time',
      `family ${family}`,
      checkLinearizable(ofFamily, promise, maxVisited),
      undecided,
    )
  })
}

/** What the search for an order found, unless it found one. */
function unexplained(
  promise: PromiseName,
  what: string,
  { isLinearizable, placed, stuck }: Result<Operation>,
  undecided: string[],
): Violation[] {
  if (isLinearizable === undefined) undecided.push(`${promise}: ${what}`)
  if (isLinearizable !== false) return []
  const answer = stuck ? `the answer to request ${stuck.id}` : 'the answers'
  return [
    {
      promise,
      what: `${what}: no order of its requests explains ${answer}`,
      operations: [...placed.slice(-4), ...(stuck ? [stuck] : [])],
    },
  ]
}

/**
 * A change that was answered is there, and reads see changes in the order of their answers. The state is the last confirmed name,
 * with the names of changes that were made after it and not confirmed: a failover may lose these, also those that were read.
 */
function checkKept(
  { operations, firstNames, settings }: History,
  undecided: string[],
  maxVisited?: number,
): Violation[] {
  const clients = group(
    operations.filter((each): each is Change | Read => each.kind === 'change' || each.kind === 'read'),
    ({ client }) => client,
  )
  return [...clients].flatMap(([client, ofClient]) => {
    const read = new Set(ofClient.map((each) => (each.kind === 'read' ? each.name : undefined)))
    // A change without an answer that no client has read explains nothing, so it may be left out.
    const telling = ofClient.filter(
      (each) => each.kind === 'read' || each.outcome === 'ok' || read.has(each.name),
    )
    const specification: Specification<readonly (string | null)[], Change | Read> = {
      effect: ({ name }) => String(name),
      initial: [firstNames[client] ?? null],
      next(names, { kind, name = null, outcome }) {
        if (outcome === 'fail') return []
        if (kind === 'change') return outcome === 'ok' ? [[name]] : [names, [...names, name]]
        if (outcome === 'unknown') return [names]
        const kept = names.lastIndexOf(name) + 1
        return kept === names.length || (kept > 0 && settings.hasFailover) ? [names.slice(0, kept)] : []
      },
    }
    const result = checkLinearizable(telling, specification, maxVisited)
    return unexplained('kept', `client ${client}`, result, undecided)
  })
}

/** After an answered revocation, no call succeeds beyond the bound. A token that was not revoked is not rejected. */
function checkRevoked(history: History): Violation[] {
  const { operations } = history
  const found: Violation[] = []
  for (const { call, revocations, issuedAt } of callsOf(operations)) {
    if (call.outcome === 'ok') {
      const late = revocations.find(
        (each) => each.outcome === 'ok' && lateness(history, each, call) > boundOf(history, each, call),
      )
      const what = `a call was accepted ${Math.round(call.invoke - (late?.end ?? 0))} ms after its token was revoked`
      if (late) found.push({ promise: 'revoked', what, operations: [late, call] })
    }
    // A revocation of a client covers the tokens that were requested before it was answered.
    const mayBeRevoked = revocations.some((each) => each.invoke < call.end && issuedAt < each.end)
    if (call.outcome === 'fail' && !mayBeRevoked) {
      found.push({
        promise: 'revoked',
        what: 'a call with a token that was not revoked was rejected',
        operations: [call],
      })
    }
  }
  return found
}

/** The worst times that the history shows: of revocations, on the process that made them and on others. */
export function worstTimes(history: History): WorstTime[] {
  const bounds = new Map<string, { observedMs: number; boundMs: number }>()
  for (const { call, revocations } of callsOf(history.operations)) {
    for (const each of call.outcome === 'ok' ? revocations : []) {
      const observedMs = lateness(history, each, call)
      const what =
        each.process === call.process ? 'rejected by the process that revokes' : 'rejected by other processes'
      const { observedMs: worst = 0 } = bounds.get(what) ?? {}
      if (each.outcome === 'ok')
        bounds.set(what, { observedMs: Math.max(worst, observedMs), boundMs: boundOf(history, each, call) })
    }
  }
  return [...bounds].map(([what, times]) => ({ what, ...times }))
}

/** Each call with a token of an API key, with the revocations of that token that an answered call must respect. */
function* callsOf(operations: readonly Operation[]) {
  const issued = new Map(
    operations.flatMap((each) =>
      each.kind === 'issue' && each.accessToken !== undefined ? [[each.accessToken, each] as const] : [],
    ),
  )
  const revokes = operations.filter((each): each is Revoke => each.kind === 'revoke')
  const byTarget = group(revokes, ({ of }) =>
    'client' in of ? `client ${of.client}` : `token ${of.accessToken}`,
  )
  for (const call of operations) {
    const issue = call.kind === 'call' ? issued.get(call.accessToken) : undefined
    if (call.kind !== 'call' || !issue) continue
    const revocations = [
      ...(byTarget.get(`token ${call.accessToken}`) ?? []),
      // A token that was issued while the client was revoked may be covered or not.
      ...(byTarget.get(`client ${issue.client}`) ?? []).filter(({ invoke, end, outcome }) =>
        call.outcome === 'ok' && outcome === 'ok' ? issue.end < invoke : issue.invoke < end,
      ),
    ]
    yield { call, revocations, issuedAt: issue.invoke }
  }
}

/** Milliseconds until the call, since the revocation was answered and the link of the process has stayed. */
function lateness({ faults, settings }: History, revoke: Revoke, call: Call): number {
  if (revoke.process === call.process) return call.invoke - revoke.end
  let since = revoke.end
  for (const { processes, from, to } of faults.toSorted((one, other) => one.from - other.from)) {
    const isMet = processes.includes(call.process) && from < Math.min(call.invoke, since + boundMs(settings))
    if (isMet && to > since) since = to
  }
  return call.invoke - since
}

/**
 * The process that revokes rejects at once. Others reject when their link has stayed for as long as this: a read that was sent while
 * the link was away may take its timeout, the next poll comes after one interval, and it takes up to one more.
 */
function boundOf({ settings }: History, revoke: Revoke, call: Call): number {
  return revoke.process === call.process ? 0 : boundMs(settings)
}

/** Milliseconds after which another process rejects, since its link came back to stay. */
export function boundMs({ pollSeconds }: History['settings']): number {
  return FEED_TIMEOUT_MS.byDefault + 2 * pollSeconds * 1000
}

/** Each change is covered by exactly one audit entry, alone or in its count. */
export function checkRecorded({ operations, faults, trail, firstNames, settings }: History): Violation[] {
  if (!trail) return []
  const changes = operations.filter(
    (each): each is Change | Revoke =>
      (each.kind === 'change' && each.client in firstNames) || each.kind === 'revoke',
  )
  // What was read before a failover may have been lost with its entry.
  const lastFault = settings.hasFailover ? Math.max(...faults.map(({ to }) => to)) : Number.NEGATIVE_INFINITY
  const seen = new Set(
    operations.map((each) => (each.kind === 'read' && each.invoke > lastFault ? each.name : undefined)),
  )
  const times = (matches: (entry: Entry) => boolean) =>
    trail.filter(matches).reduce((sum, { count = 1 }) => sum + count, 0)
  const byActor = group(trail, ({ actor = '' }) => actor)
  const found: Violation[] = []
  const expect = (
    what: string,
    entries: number,
    least: number,
    most: number,
    shown: readonly Operation[],
  ) => {
    if (entries >= least && entries <= most) return
    found.push({ promise: 'recorded', what: `${what} has ${entries} audit entries`, operations: shown })
  }

  const entriesOf = (change: Change | Revoke) =>
    (byActor.get(change.actor ?? '') ?? []).reduce((sum, { count = 1 }) => sum + count, 0)

  /** Whether this is the case of docs/proof.md in which the entry of a change that takes access away may be lost. */
  const mayLoseEntry = (change: Change | Revoke) => {
    if (change.kind === 'change' && change.name !== null) return false
    const during = faults.filter(
      ({ processes, from, to }) =>
        processes.includes(change.process) && from < change.end && to > change.invoke - SLACK_MS,
    )
    return faults.some(
      ({ what, processes, from }) =>
        what === 'process-killed' &&
        processes[0] === change.process &&
        from > change.invoke - SLACK_MS &&
        during.some(({ to }) => from < Math.max(change.end, to) + IN_MEMORY_MS),
    )
  }

  for (const change of changes) {
    if (change.actor === undefined) continue
    const wasDone = change.outcome === 'ok' || (change.kind === 'change' && seen.has(change.name))
    const least = wasDone && repeatable(change) === undefined && !mayLoseEntry(change) ? 1 : 0
    expect(`the change of ${change.actor}`, entriesOf(change), least, change.outcome === 'fail' ? 0 : 1, [
      change,
    ])
  }
  for (const [what, all] of group(changes, (each) => repeatable(each) ?? '')) {
    if (what === '') continue
    const least = all.some((each) => each.outcome === 'ok' && !mayLoseEntry(each)) ? 1 : 0
    const entries = all.reduce((sum, each) => sum + entriesOf(each), 0)
    expect(what, entries, least, all.length, all)
  }
  const unnamed = changes.filter((each): each is Change => each.kind === 'change' && each.actor === undefined)
  for (const [client, all] of group(unnamed, (each) => each.client)) {
    const entries = times((entry) => entry.clientId === client && entry.actor === undefined)
    const least = all.filter((each) => each.outcome === 'ok').length
    expect(`${all.length} equal changes of ${client}`, entries, least, all.length, all.slice(-1))
  }
  const actors = new Set(changes.map(({ actor }) => actor))
  for (const [actor] of byActor) {
    if (actor !== '' && !actors.has(actor)) expect(`${actor}, who changed nothing,`, 1, 0, 0, [])
  }
  return found
}

/** What a change does only once: its repetition finds it done, changes nothing, and may have no entry. */
function repeatable(change: Change | Revoke): string | undefined {
  if (change.kind === 'change') return change.name === null ? `the deletion of ${change.client}` : undefined
  return 'accessToken' in change.of ? `the revocation of the token ${change.of.accessToken}` : undefined
}

/** Nothing is accepted that was not issued. */
function checkIssued({ operations }: History): Violation[] {
  const issued = new Set<string>()
  for (const each of operations) {
    if (each.kind === 'exchange' && each.isCode) issued.add(each.credential)
    if (each.kind === 'exchange' && each.next !== undefined) issued.add(each.next)
    if ((each.kind === 'exchange' || each.kind === 'issue') && each.accessToken !== undefined)
      issued.add(each.accessToken)
  }
  return operations
    .filter((each): each is Exchange | Call => each.kind === 'exchange' || each.kind === 'call')
    .filter(
      (each) =>
        each.outcome === 'ok' && !issued.has(each.kind === 'call' ? each.accessToken : each.credential),
    )
    .map((each) => ({
      promise: 'issued' as const,
      what: 'a token was accepted that was not issued',
      operations: [each],
    }))
}

function group<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const found = groups.get(key)
    if (found) found.push(one)
    else groups.set(key, [one])
  }
  return groups
}
