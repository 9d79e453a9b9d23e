type SetTimer = (callback: () => void, milliseconds?: number) => unknown

/** The clock of fake timers, which each of their functions names. */
interface FakeClock {
  setTimeout: SetTimer
  setInterval: SetTimer
  readonly timers?: object
}

/**
 * Counts the fake timers that a source or its test has set, and that have neither ended nor been cleared. `vi.getTimerCount()`
 * would also count those that earlier tests of the process have left, such as timers of `fetch`.
 *
 * @param source the path of the source without `src/` and extension, such as `store/circuit-breaker`
 * @returns the function that counts the timers that are set from now on
 */
export function timersOf(source: string): () => number {
  const { clock } = setTimeout as unknown as { clock: FakeClock }
  const ids: number[] = []
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const set = clock[name]
    clock[name] = (...args) => {
      const timer = set(...args)
      if (new Error(source).stack?.includes(`/${source}.`)) ids.push(Number(timer))
      return timer
    }
  }
  return () => ids.filter((id) => id in (clock.timers ?? {})).length
}
