import type { Store } from '../../src/store/contract.ts'

/** A store that breaks one promise: what replaces the methods of a good one, and the case that must notice. */
export interface BrokenStore {
  readonly breaks: string
  readonly methods: (good: Store) => Partial<Store>
  /** The beginning of the case's name. */
  readonly noticedBy: string
  /** Whether it takes two connections to one database to break it so. @default one volatile store */
  readonly connected?: true
  /** The store's own error, if that is how the case notices. @default an AssertionError */
  readonly message?: string
}

/** A method that does nothing. */
export const nothing = async (): Promise<void> => {}
