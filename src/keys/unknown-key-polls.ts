import { createRateLimit } from '../async/rate-limit.ts'
import { settlesWithin } from '../async/with-timeout.ts'
import type { Logger } from '../host/logger.ts'

/** In 5 seconds from the first one. All 5, or 9 around the end, may follow each other without a pause. */
const POLLS = { key: 'polls', max: 5 }
/** Milliseconds that a call with an unknown key waits for a poll or a fetch of the keys. */
export const MAX_WAIT_MS = 1000

/**
 * Limits the polls for tokens with unknown keys to one a second on average, so that invented key ids cause little load.
 * A caller above the limit does not wait, and its token is rejected. A failed poll is logged at debug only, because
 * strangers can cause it.
 * @param poll polls or fetches the keys. If it returns the promise of a running poll, the call does not count
 */
export function limitPolls(poll: () => Promise<void>, logger: Pick<Logger, 'debug'>): () => Promise<void> {
  const limit = createRateLimit({ windowSeconds: POLLS.max, now: () => performance.now() / 1000 })
  let lastPoll: Promise<void> | undefined

  async function pollNow(): Promise<void> {
    const current = poll()
    if (current !== lastPoll) limit.add(POLLS)
    lastPoll = current
    await current.catch((error: unknown) => {
      logger.debug({ err: error }, 'the keys could not be polled for a token with an unknown key')
    })
  }

  return async () => {
    if (limit.waitSeconds([POLLS]) === 0) await settlesWithin(pollNow, MAX_WAIT_MS)
    else logger.debug({}, 'a token with an unknown key was rejected without a poll of the keys')
  }
}
