import { createEncryption } from '../../../keys/encryption.ts'
import { createCollection } from '../../../store/collection.ts'
import type { Store } from '../../../store/contract.ts'
import { digest } from '../../../store/digest.ts'
import { textRule } from '../../../validation/rules.ts'

/** Seconds for which an answer is kept, so that a browser learns that its code was used. */
export const KEPT_SECONDS = 60

export interface ReturnAnswer {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly location: string
  /** If the answer was lost, the browser has only the cookies from before. */
  readonly cookies: readonly string[]
  /** Before and after the answer. In another session, the answer is not repeated. */
  readonly sessions: readonly string[]
  readonly subject?: string | undefined
  /** Absent if `location` has no code. */
  readonly grantId?: string | undefined
}

/** Keeps the answers to returns from our pages, encrypted. @param secrets the host's secrets, newest first */
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
