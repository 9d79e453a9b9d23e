/** The clock of this process, which can be set forward. Timers keep their real time. */
export interface Clock {
  advance(milliseconds: number): void
  /** Restores the real clock. */
  restore(): void
}

/** Replaces `Date`, from which the library reads the time. */
export function replaceClock(): Clock {
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
    advance(milliseconds) {
      ahead += milliseconds
    },
    restore() {
      globalThis.Date = RealDate
    },
  }
}
