/** Why a document could not be fetched. Only callers of `fetchJson` see it, and answer with an error of their own. */
export class OutgoingProblem extends Error {
  override readonly name = 'OutgoingProblem'
  /** `unavailable`: the fault may pass, such as a timeout. `rejected`: the same request would fail again. */
  readonly kind: 'unavailable' | 'rejected'
  /** `problem` is a sentence without a full stop, and names no network address. `cause`, for logs, may. */
  constructor(kind: 'unavailable' | 'rejected', problem: string, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

export function rejected(problem: string, cause?: unknown): OutgoingProblem {
  return new OutgoingProblem('rejected', problem, cause)
}

export function unavailable(problem: string, cause?: unknown): OutgoingProblem {
  return new OutgoingProblem('unavailable', problem, cause)
}
