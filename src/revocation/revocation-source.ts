import type { Revocation } from './revocation.ts'

/** Some revocations, and where to go on. */
export interface RevocationPage {
  readonly revocations: readonly Revocation[]
  /** What to hand over at the next call; opaque. Good at any process of the authorization service. */
  readonly cursor: string
  /** Whether there is more to read now. */
  readonly more: boolean
}

/** Where revocations are read from: the log in the store, or the authorization service over HTTP. */
export interface RevocationSource {
  /**
   * Reads what was added since a cursor; some of it may have been read before. Without a cursor, or with one that is
   * too old or makes no sense, it begins with all that are in force.
   */
  read(cursor: string | undefined): Promise<RevocationPage>
  /**
   * Calls `listener` with revocations as they are made, where the source can tell at once; some may be lost.
   *
   * @param missed called when some may have been lost
   * @returns a function that ends it
   */
  listen?:
    | ((listener: (revocation: Revocation) => void, missed: () => void) => Promise<() => Promise<void>>)
    | undefined
  /** Ends readings that are under way: they reject. */
  close?: (() => void) | undefined
}
