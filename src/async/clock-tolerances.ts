// How far the clocks of processes may differ, and how late a process or a write may be. Each constant has one meaning,
// which its comment states. Two constants may have the same value.

/**
 * Seconds by which the clocks of two processes may differ. Every stored lifetime on which other processes rely is longer
 * by this time.
 */
export const CLOCK_SKEW_SECONDS = 120

/**
 * Seconds by which clocks may differ in normal operation. If they differ more, health fails. If the clock of a process
 * moves by more than this, it has jumped.
 */
export const NORMAL_CLOCK_SKEW_SECONDS = 30

/** Seconds by which the clock of the issuer may be ahead. Within this time a new token is valid at once (`nbf`). */
export const NOT_BEFORE_TOLERANCE_SECONDS = 5

/** Seconds for which memory keeps an expired revocation, because the clock may be set forward and back again. */
export const CLOCK_CORRECTION_SECONDS = 600

/** Milliseconds by which a write may be late: connections discard unsent data after this time. */
export const LATE_WRITE_MS = 120_000

/**
 * Milliseconds between the time in an entry of the revocation log and the moment when the entry can be read, at most: one
 * minute because clocks differ, and one minute because the write takes time. A poll reads this span again.
 */
export const LATE_ENTRY_MS = 120_000

/** Milliseconds by which the clock of a process that writes to the revocation log may be ahead. */
export const FAST_CLOCK_MS = 60_000
