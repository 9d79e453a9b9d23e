import { inBatches } from '../async/in-batches.ts'
import type { Account } from './accounts.ts'

const CONCURRENCY = 5

/** The users whom the host no longer finds in an account, in the order of `userIds`. */
export async function missingUsers(
  userIds: readonly string[],
  find: (userId: string) => Promise<Account | undefined>,
): Promise<string[]> {
  const found = await inBatches(userIds, CONCURRENCY, find)
  return userIds.filter((_, at) => found[at] === undefined)
}
