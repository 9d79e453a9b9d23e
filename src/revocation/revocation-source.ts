import type { Revocation } from './revocation.ts'

/** Some revocations, and the cursor of the next page. */
export interface RevocationPage {
  readonly revocations: readonly Revocation[]
  /** The cursor for the next call; opaque. Valid at any process of the authorization service. */
  readonly cursor: string
  /** Whether more can be read now. */
  readonly more: boolean
}

/** The source of revocations: the log in the store, or the authorization service over HTTP. */
export interface RevocationSource {
  /**
   * Reads the revocations added since a cursor. Some may have been read before. Without a cursor, or with a cursor that
   * is too old or invalid, it begins with all revocations in force.
   */
  read(cursor: string | undefined): Promise<RevocationPage>
  /**
   * Calls `listener` with revocations as they are made, if the source can publish them. Some may be lost.
   *
   * @param missed called when some may have been lost
   * @returns a function that unsubscribes
   */
  listen?:
    | ((listener: (revocation: Revocation) => void, missed: () => void) => Promise<() => Promise<void>>)
    | undefined
  /** Aborts reads in progress: they reject. */
  close?: (() => void) | undefined
}
