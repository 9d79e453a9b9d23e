import { createEncryption } from '../../../keys/encryption.ts'
import { createCollection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { textRule } from '../../../validation/rules.ts'

/** Seconds for which an answer is kept, so that a browser learns that its code was used. */
export const KEPT_SECONDS = 60

/** The answer to a return from our pages. */
export interface ReturnAnswer {
  /** When the answer was sent, in milliseconds since the epoch. */
  readonly at: number
  readonly location: string
  /** The answer's `Set-Cookie` headers. If the answer was lost, the browser has only the cookies from before. */
  readonly cookies: readonly string[]
  /** Our session in this browser before and after the answer. In another session, the answer is not repeated. */
  readonly sessions: readonly string[]
  /** The person who was signed in; absent if no person was. */
  readonly subject?: string | undefined
  /** The grant of the code in `location`; absent if it has no code. */
  readonly grantId?: string | undefined
}

/** Keeps the answers to returns from our pages in the store, encrypted. @param secrets the host's secrets, newest first */
export function createReturns(store: Store, secrets: readonly string[]) {
  const encryption = createEncryption<ReturnAnswer>(secrets, 'returns')
  const records = createCollection<{ sealed: string }>(store, {
    name: 'return',
    version: 1,
    fields: { sealed: textRule },
  })
  return {
    async keep(uid: string, answer: ReturnAnswer): Promise<void> {
      await records.set(digest(uid), { sealed: await encryption.seal(answer) }, KEPT_SECONDS)
    },
    async find(uid: string): Promise<ReturnAnswer | undefined> {
      const record = await records.get(digest(uid))
      return record && (await encryption.unseal(record.sealed))?.value
    },
  }
}
