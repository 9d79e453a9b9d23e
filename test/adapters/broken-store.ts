import type { Store } from '../../src/store/contract.ts'

/**
 * A store that breaks one promise of the store contract. `methods` returns the methods that replace those of
 * an intact store. One case of the contract suite must notice the fault.
 */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (intact: Store) => Partial<Store>
  /** The beginning of the name of the case that notices the fault. */
  readonly noticedBy: string
  /**
   * Whether the fault needs stores with separate connections to one database. @default each store is a
   * separate memory store
   */
  readonly connected?: true
  /**
   * The message of the error that the store throws and that makes the case fail. @default the case fails with
   * an AssertionError
   */
  readonly message?: string
}

/** A method that does nothing. */
export const nothing = async (): Promise<void> => {}
