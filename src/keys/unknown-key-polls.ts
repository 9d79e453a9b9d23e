import { setTimeout as delay } from 'node:timers/promises'

/** Maximum number of polls that may follow each other at once. No more polls are made within this number of seconds. */
const BURST = 5

/**
 * Limits the polls for unknown keys that tokens name: one a second on average, so that invented key ids cause
 * no load. Callers above the limit wait, and share one poll.
 *
 * @param poll returns the same promise to callers that share a poll
 */
export function limitPolls(poll: () => Promise<void>): () => Promise<void> {
  let pollTimes: number[] = []
  let lastPoll: Promise<void> | undefined
  let waiting: Promise<void> | undefined

  function pollNow(): Promise<void> {
    const current = poll()
    if (current !== lastPoll) pollTimes.push(performance.now())
    lastPoll = current
    return current
  }

  return () => {
    if (waiting) return waiting
    const now = performance.now()
    pollTimes = pollTimes.filter((at) => now - at < BURST * 1000)
    const [oldest = now] = pollTimes
    if (pollTimes.length < BURST) return pollNow()
    waiting = delay(oldest + BURST * 1000 - now, undefined, { ref: false }).then(() => {
      // Later callers may need a key that is published after this poll.
      waiting = undefined
      return pollNow()
    })
    return waiting
  }
}
