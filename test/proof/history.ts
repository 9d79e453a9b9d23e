/**
 * What clients asked of a service and what it answered, with the faults of the time. The checks of `promises.ts` read
 * nothing else. All times are milliseconds of one monotonic clock: `performance.now()` of the process that asks.
 */

/**
 * `ok`: the service did it. `fail`: the service answered that it did not do it. `unknown`: no answer arrived, or an answer that
 * leaves open whether it was done, such as a 503. A timeout is always unknown.
 */
export type Outcome = 'ok' | 'fail' | 'unknown'

interface Common {
  /** Unique in its history. */
  readonly id: number
  /** The process that was asked: its number among the processes of the run. */
  readonly process: number
  /** When the request was sent. */
  readonly invoke: number
  /** When its answer had arrived. `Infinity` if the outcome is unknown: it may still take effect. */
  readonly end: number
  readonly outcome: Outcome
}

/** A code or a refresh token was exchanged for tokens. */
export interface Exchange extends Common {
  readonly kind: 'exchange'
  /** The consent from which the code came. All its tokens are one family. */
  readonly family: string
  readonly credential: string
  readonly isCode: boolean
  /** The refresh token and the access token of the answer; set only if the outcome is `ok`. */
  readonly next?: string
  readonly accessToken?: string
}

/** A family was revoked by its client. */
export interface EndFamily extends Common {
  readonly kind: 'end-family'
  readonly family: string
}

/** An API key got an access token. */
export interface Issue extends Common {
  readonly kind: 'issue'
  readonly client: string
  /** Set only if the outcome is `ok`. */
  readonly accessToken?: string
}

/** An API call. `ok`: the API accepted the access token. `fail`: it answered 401. */
export interface Call extends Common {
  readonly kind: 'call'
  readonly accessToken: string
}

/** A revocation of one access token, or of all access tokens of a client. */
export interface Revoke extends Common {
  readonly kind: 'revoke'
  readonly of: { readonly accessToken: string } | { readonly client: string }
  /** Unique; the audit entry has it as its actor. */
  readonly actor: string
}

/** A change of a record: of the name of an API key, or its deletion. */
export interface Change extends Common {
  readonly kind: 'change'
  readonly client: string
  /** null if the API key is deleted. */
  readonly name: string | null
  /** Unique; the audit entry has it as its actor. Without it, equal changes of a minute are counted in one entry. */
  readonly actor?: string
}

/** A read of what `Change` changes. `name` is set only if the outcome is `ok`; it is null if there is no such API key. */
export interface Read extends Common {
  readonly kind: 'read'
  readonly client: string
  readonly name?: string | null
}

export type Operation = Exchange | EndFamily | Issue | Call | Revoke | Change | Read

/** Something that was broken on purpose. */
export interface Fault {
  readonly what: string
  /** The processes whose link to the store or to the service was away. */
  readonly processes: readonly number[]
  readonly from: number
  /** When everything worked again, as far as the breaking process can see. */
  readonly to: number
}

/** An entry of the audit trail, as far as the checks read it. */
export interface Entry {
  readonly actor?: string | undefined
  readonly clientId?: string | undefined
  readonly count?: number | undefined
}

export interface History {
  readonly operations: readonly Operation[]
  readonly faults: readonly Fault[]
  /** The audit trail after the run; undefined if it was not read. */
  readonly trail?: readonly Entry[]
  /** The name that each client had when it was created. */
  readonly firstNames: Readonly<Record<string, string>>
  readonly settings: Settings
}

/** The settings on which the promises depend. */
export interface Settings {
  /** `refreshTokenGraceSeconds` and `revocations.pollIntervalSeconds`. */
  readonly graceSeconds: number
  readonly pollSeconds: number
  /**
   * Whether a failover may lose what was not confirmed: a code that was not exchanged yet, since codes do not wait for replicas, and a
   * change without an answer, also one that was read.
   */
  readonly hasFailover: boolean
}

type Result<T extends Operation> = Omit<T, 'id' | 'process' | 'invoke' | 'end' | 'kind'>
type Kind = Operation['kind']
type Of<K extends Kind> = Extract<Operation, { kind: K }>

/** Collects the operations of a run. */
export function createRecorder() {
  const operations: Operation[] = []
  const faults: Fault[] = []
  let count = 0

  return {
    operations,
    faults,
    /** Sends a request by `ask`, and records it with what `ask` makes of the answer. If `ask` throws, that is a bug of the run. */
    async run<K extends Kind>(kind: K, process: number, ask: () => Promise<Result<Of<K>>>): Promise<Of<K>> {
      const id = (count += 1)
      const invoke = performance.now()
      const result = await ask()
      const end = result.outcome === 'unknown' ? Number.POSITIVE_INFINITY : performance.now()
      const operation = { ...result, id, process, kind, invoke, end } as unknown as Of<K>
      operations.push(operation)
      return operation
    },
  }
}

export type Recorder = ReturnType<typeof createRecorder>
