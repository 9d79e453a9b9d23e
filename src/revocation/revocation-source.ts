import type { Revocation } from './revocation.ts'

export interface RevocationPage {
  readonly revocations: readonly Revocation[]
  /** The opaque cursor for the next call. Every process of the authorization service accepts it. */
  readonly cursor: string
  readonly more: boolean
}

/** The source of revocations: the log in the store, or the authorization service over HTTP. */
export interface RevocationSource {
  /**
   * Reads the revocations added since a cursor. The result may include revocations that an earlier read has
   * returned. If the cursor is missing, too old or invalid, the read begins with all revocations in force.
   */
  read(cursor: string | undefined): Promise<RevocationPage>
  /** Calls `listener` with each new revocation. After `missed`, messages may have been lost: the caller should read. */
  listen?:
    | ((listener: (revocation: Revocation) => void, missed: () => void) => Promise<() => Promise<void>>)
    | undefined
  /** Aborts reads in progress: their promises reject. */
  close?: (() => void) | undefined
}
