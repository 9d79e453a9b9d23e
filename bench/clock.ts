/** The clock of this process, which can be put forward; timers go on as they are. */
export interface Clock {
  by(milliseconds: number): void
  /** Gives the real one back. */
  restore(): void
}

/** Replaces `Date`, by which everything here tells the time of day. */
export function putClockForward(): Clock {
  const RealDate = globalThis.Date
  let ahead = 0

  class ShiftedDate extends RealDate {
    constructor(value: number | string | Date = ShiftedDate.now()) {
      super(value)
    }
    static override now(): number {
      return RealDate.now() + ahead
    }
  }
  globalThis.Date = ShiftedDate as DateConstructor
  return {
    by(milliseconds) {
      ahead += milliseconds
    },
    restore() {
      globalThis.Date = RealDate
    },
  }
}
