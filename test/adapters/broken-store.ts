import type { Store } from '../../src/store/contract.ts'

/**
 * A store that breaks one promise. `methods` replace methods of an intact store, and one case must notice the
 * fault.
 */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (intact: Store) => Partial<Store>
  /** The beginning of the name of the case that notices the fault. */
  readonly noticedBy: string
  /** Whether the fault needs stores with separate connections to one database. @default volatile stores */
  readonly connected?: true
  /**
   * The error message of the store, if the case fails with it. @default the case fails with an AssertionError
   */
  readonly message?: string
}

/** A method that does nothing. */
export const nothing = async (): Promise<void> => {}
