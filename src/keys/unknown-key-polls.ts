import { setTimeout as delay } from 'node:timers/promises'

/**
 * Maximum number of polls within as many seconds: 5 polls in 5 seconds. These polls may follow each other
 * without a pause.
 */
const BURST = 5

/**
 * If a token names an unknown key, the keys are polled. This function limits these polls to one a second on
 * average. So tokens with invented key ids cause little load. Callers above the limit wait, and share one
 * poll.
 *
 * @param poll may return the promise of a poll that is already running; such a call does not count again
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
      // A later caller may need a key that is published after this poll. So later callers do not share this
      // poll.
      waiting = undefined
      return pollNow()
    })
    return waiting
  }
}
