// How far the clocks of processes may differ, and how late a process or a write may be. Each constant is used where its
// sentence applies, so that one number has one meaning.

/** Seconds by which the clocks of two processes may differ. Every stored lifetime that others rely on is so much longer. */
export const CLOCK_SKEW_SECONDS = 120

/** Seconds by which clocks may differ in good operation. Health fails beyond, and a clock that moves further has jumped. */
export const NORMAL_CLOCK_SKEW_SECONDS = 30

/** Seconds by which the clock of the issuer may be ahead, so that a token is valid when it is issued (`nbf`). */
export const NOT_BEFORE_TOLERANCE_SECONDS = 5

/** Seconds for which memory keeps a revocation after its end, for a clock that is set forward and back again. */
export const CLOCK_CORRECTION_SECONDS = 600

/** Milliseconds by which a write may be late: connections keep unsent data no longer. */
export const LATE_WRITE_MS = 120_000

/**
 * Milliseconds by which an entry of the revocation log may be older than the moment from which it can be read: one minute
 * because clocks differ, and one because the write takes time. A poll reads so much again.
 */
export const LATE_ENTRY_MS = 120_000

/** Milliseconds by which the clock of a process that writes to the revocation log may be ahead. */
export const FAST_CLOCK_MS = 60_000
