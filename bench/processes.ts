/** The processes of measurements and long tests that need more than one process. They end with the process that starts them. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * A message from a process. It contains an event, the answer to a question, or the report that the process is
 * ready.
 */
export interface Report<Event = unknown> {
  readonly ready?: true
  readonly event?: Event
  readonly number?: number
  readonly value?: unknown
}

/** A question to a process. Its answer has the same number. */
export interface Question<Ask extends string = string> {
  readonly number: number
  readonly ask: Ask
  /** What the question is about. */
  readonly about?: unknown
}

/** A process that runs a script. */
export interface Running<Ask extends string = string> {
  readonly port: number
  /**
   * Asks the process a question. Rejects if the process ends before its answer, or does not answer within
   * `withinMs`.
   */
  ask<T>(ask: Ask, withinMs?: number, about?: unknown): Promise<T>
  /** Sends SIGTERM. Settles when the process has ended. */
  terminate(): Promise<void>
  /** Ends the process as a crash would. */
  kill(): Promise<void>
  /** Freezes the process, and lets it continue: no connection is closed. */
  pause(): void
  resume(): void
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>
}

/** Additional settings of a process. */
interface Handling<Event> {
  /** Receives the events of the process. */
  readonly onEvent?: (event: Event) => void
  /** Additional arguments for node. */
  readonly execArgv?: readonly string[]
}

const children: ChildProcess[] = []
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Starts a script, such as `new URL('load.ts', import.meta.url)`, with its options as JSON, and waits until it is ready. */
export async function startProcess<Ask extends string, Event = never>(
  script: URL,
  options: { readonly port: number },
  { onEvent, execArgv = [] }: Handling<Event> = {},
): Promise<Running<Ask>> {
  // A compiled measurement starts compiled scripts.
  const file = fileURLToPath(script).replace(/\.ts$/, path.extname(import.meta.filename))
  const child = fork(file, [JSON.stringify(options)], {
    execArgv: [...process.execArgv, ...execArgv],
  })
  children.push(child)
  const ended = once(child, 'exit')
  const pending = new Map<number, (value: unknown) => void>()
  let count = 0
  const ready = new Promise<void>((resolve) => {
    child.on('message', ({ ready: isReady, event, number = -1, value }: Report<Event>) => {
      if (isReady) resolve()
      if (event) onEvent?.(event)
      pending.get(number)?.(value)
      pending.delete(number)
    })
  })
  const failed = async (what: string): Promise<never> => {
    await ended
    throw new Error(`the process ended before it ${what}`)
  }
  await Promise.race([ready, failed('was ready')])

  return {
    port: options.port,
    ended,
    async ask<T>(ask: Ask, withinMs = 20_000, about?: unknown) {
      const number = (count += 1)
      const answer = new Promise<unknown>((resolve) => pending.set(number, resolve))
      // If the process has ended, `failed` says so.
      child.send({ number, ask, about } satisfies Question<Ask>, () => {})
      const timer = new AbortController()
      const timeout = delay(withinMs, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`"${ask}" was not answered within ${withinMs} ms`)
      })
      try {
        return (await Promise.race([answer, failed('had answered'), timeout])) as T
      } finally {
        timer.abort()
        timeout.catch(() => {})
      }
    },
    async terminate() {
      child.kill('SIGTERM')
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}
