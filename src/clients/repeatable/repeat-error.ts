/** Why a request with an idempotency key cannot be answered. */
export type RepeatProblem = 'invalid-key' | 'other-body' | 'deleted' | 'in-progress'

/** A request with an idempotency key that was not carried out. */
export class RepeatError extends Error {
  override readonly name = 'RepeatError'
  readonly problem: RepeatProblem

  constructor(problem: RepeatProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
