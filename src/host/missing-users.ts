import type { Account } from './accounts.ts'

const CONCURRENCY = 5

/** The users whom the host no longer finds in an account, in the order of `userIds`. */
export async function missingUsers(
  userIds: readonly string[],
  find: (userId: string) => Promise<Account | undefined>,
): Promise<string[]> {
  const missing: string[] = []
  for (let at = 0; at < userIds.length; at += CONCURRENCY) {
    const batch = userIds.slice(at, at + CONCURRENCY)
    const found = await Promise.all(batch.map(find))
    missing.push(...batch.filter((_, index) => found[index] === undefined))
  }
  return missing
}
