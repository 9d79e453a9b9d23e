import { periodically } from '../async/periodically.ts'
import type { Logger } from '../host/logger.ts'
import { warn } from '../store/check-results.ts'
import type { Store } from '../store/contract.ts'
import { readMembers } from '../store/pages-of-index.ts'

const DAY_MS = 86_400_000
const MAX_NAMED = 5

const SHARED =
  'a service with another issuer uses the same store and key prefix, so its clients work here too'
const SEPARATE =
  'Give each service a key prefix or a database of its own, and a secret of its own. The check passes within three days ' +
  'after the other service has stopped'

/**
 * Finds another service that uses the same store by mistake, such as staging and production. Each process of
 * a service stores its issuer once a day.
 */
export function createIssuerCheck(options: {
  readonly store: Pick<Store, 'add' | 'range'>
  readonly issuer: string
  readonly logger: Logger
  readonly now: () => number
  /** True for a gateway, because it may only read the store. */
  readonly isReader?: boolean
}) {
  const { store, issuer, logger, now, isReader = false } = options
  let others: readonly string[] = []

  async function examine(): Promise<void> {
    const today = Math.floor(now() / DAY_MS)
    if (!isReader) await store.add(`issuers:${today}`, issuer, (2 * DAY_MS) / 1000)
    const days = [today, today - 1].map((day) => readMembers(store, `issuers:${day}`, { limit: MAX_NAMED }))
    const found = await Promise.all(days)
    const known = others
    others = [...new Set(found.flat())].filter((each) => each !== issuer)
    if (others.some((each) => !known.includes(each)))
      logger.warn({ issuer, others }, `${SHARED}. ${SEPARATE}`)
  }

  return {
    check: () => (others.length > 0 ? [warn('issuer', `${SHARED}: ${others.join(', ')}`, SEPARATE)] : []),
    /** Examines the store now and once a day. Errors are ignored. @returns a function that stops this */
    start(): () => void {
      examine().catch(() => {})
      return periodically(examine, DAY_MS)
    },
  }
}
