/**
 * Whether a later request may succeed. `unavailable`: the fault may pass, such as a timeout. `rejected`: the address or
 * the response is not acceptable, and the same request would fail again.
 */
export type OutgoingFault = 'unavailable' | 'rejected'

/**
 * Why a document could not be fetched. Only callers of `fetchJson` see this error: they answer with an error of their
 * own.
 */
export class OutgoingProblem extends Error {
  override readonly name = 'OutgoingProblem'
  readonly kind: OutgoingFault
  /** What is wrong, as a sentence without a full stop. It names no network address. */
  readonly problem: string

  /** @param cause the error of Node, for logs. It may name network addresses */
  constructor(kind: OutgoingFault, problem: string, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.problem = problem
  }
}

/** The problem of an address or a response that is not acceptable. */
export function rejected(problem: string, cause?: unknown): OutgoingProblem {
  return new OutgoingProblem('rejected', problem, cause)
}

/** The problem of a fault that may pass. */
export function unavailable(problem: string, cause?: unknown): OutgoingProblem {
  return new OutgoingProblem('unavailable', problem, cause)
}
