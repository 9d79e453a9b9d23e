import type { Store } from '../../src/store/contract.ts'

/**
 * A store that breaks one promise: the methods that replace those of an intact store, and the case that must
 * notice.
 */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (intact: Store) => Partial<Store>
  /** The beginning of the name of the case that notices it. */
  readonly noticedBy: string
  /** Whether the fault takes two connections to one database. @default one volatile store */
  readonly connected?: true
  /** The store's own error message, if the case notices it by that. @default an AssertionError */
  readonly message?: string
}

/** A method that does nothing. */
export const nothing = async (): Promise<void> => {}
