// These constants state how far the clocks of processes may differ, and how late a write may arrive. Each
// constant has one meaning, which its comment states. Two constants may have the same value.

/**
 * Seconds by which the clocks of two processes may differ. These seconds are added to each stored lifetime on which
 * other processes rely.
 */
export const CLOCK_SKEW_SECONDS = 120

/**
 * Seconds by which clocks may differ in normal operation. If two clocks differ by more than that, the health check
 * fails. If the clock of a process moves by more than that at once, the process treats this as a clock jump.
 */
export const NORMAL_CLOCK_SKEW_SECONDS = 30

/**
 * Seconds by which the clock of the issuer may be ahead of the clock of a verifier. A new token whose `nbf`
 * lies at most this far in the future is accepted.
 */
export const NOT_BEFORE_TOLERANCE_SECONDS = 5

/**
 * Seconds for which a process keeps an expired revocation in memory. If the clock of the process was wrongly set
 * forward, the revocation is needed again after the clock is set back.
 */
export const CLOCK_CORRECTION_SECONDS = 600

/**
 * Milliseconds after which a delayed write cannot arrive any more, because connections discard unsent data
 * earlier.
 */
export const LATE_WRITE_MS = 120_000

/**
 * Maximum milliseconds from the time in an entry of the revocation log until the entry can be read. One minute is for
 * clocks that differ, and one minute is for a slow write. Each poll reads the entries of the last two minutes again.
 */
export const LATE_ENTRY_MS = 120_000

/** Milliseconds by which the clock of a writer to the revocation log may be ahead of a reader's. */
export const FAST_CLOCK_MS = 60_000
