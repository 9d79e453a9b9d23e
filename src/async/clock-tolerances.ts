// How far the clocks of processes may differ, and how late a write may arrive. Two constants may have the same value.

/** Seconds by which the clocks of two processes may differ: added to each stored lifetime on which others rely. */
export const CLOCK_SKEW_SECONDS = 120

/** Seconds by which clocks may differ in normal operation: beyond, the health check fails, or a clock has jumped. */
export const NORMAL_CLOCK_SKEW_SECONDS = 30

/** Seconds by which the clock of the issuer may be ahead of the clock of a verifier. An `nbf` may be so late. */
export const NOT_BEFORE_TOLERANCE_SECONDS = 5

/** Seconds for which an expired revocation stays in memory: a clock that was wrongly set forward may be set back. */
export const CLOCK_CORRECTION_SECONDS = 600

/** Milliseconds after which a delayed write cannot arrive: connections discard unsent data earlier. */
export const LATE_WRITE_MS = 120_000

/** Until an entry of the revocation log can be read: a minute for clocks that differ, and one for a slow write. */
export const LATE_ENTRY_MS = 120_000

/** Milliseconds by which the clock of a writer to the revocation log may be ahead of a reader's. */
export const FAST_CLOCK_MS = 60_000
