/** Processes for the measurements that need more than one; they end with this one. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What a process tells: that it is ready, that something has happened, and the answer to what it was asked. */
export interface Told<Event = unknown> {
  readonly ready?: true
  readonly event?: Event
  readonly number?: number
  readonly value?: unknown
}

/** What a process is asked; the answer has the same number. */
export interface Question<Ask extends string = string> {
  readonly number: number
  readonly ask: Ask
  /** Of a signing key. */
  readonly kid?: string | undefined
}

/** A process that runs one of the scripts beside this one. */
export interface Running<Ask extends string = string> {
  readonly port: number
  /** Asks it for something; rejects if it ends before it has answered, or takes longer than `withinMs`. */
  ask<T>(ask: Ask, withinMs?: number, kid?: string): Promise<T>
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Settles when it has ended. */
  readonly ended: Promise<unknown>
}

/** What else there is to say of a process. */
interface Handling<Event> {
  /** Told of what it tells on its own. */
  readonly onEvent?: (event: Event) => void
  /** Further arguments of node. */
  readonly execArgv?: readonly string[]
}

const children: ChildProcess[] = []
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/**
 * Starts a script beside this one, with its options as JSON, and waits until it is ready.
 */
export async function startProcess<Ask extends string, Event = never>(
  script: string,
  options: { readonly port: number },
  { onEvent, execArgv = [] }: Handling<Event> = {},
): Promise<Running<Ask>> {
  const child = fork(path.join(import.meta.dirname, script), [JSON.stringify(options)], {
    execArgv: [...process.execArgv, ...execArgv],
  })
  children.push(child)
  const ended = once(child, 'exit')
  const asked = new Map<number, (value: unknown) => void>()
  let count = 0
  const ready = new Promise<void>((resolve) => {
    child.on('message', ({ ready: isReady, event, number = -1, value }: Told<Event>) => {
      if (isReady) resolve()
      if (event) onEvent?.(event)
      asked.get(number)?.(value)
      asked.delete(number)
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
    async ask<T>(ask: Ask, withinMs = 20_000, kid?: string) {
      const number = (count += 1)
      const answer = new Promise<unknown>((resolve) => asked.set(number, resolve))
      child.send({ number, ask, kid } satisfies Question<Ask>)
      const timer = new AbortController()
      const late = delay(withinMs, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`"${ask}" was not answered within ${withinMs} ms`)
      })
      try {
        return (await Promise.race([answer, failed('had answered'), late])) as T
      } finally {
        timer.abort()
        late.catch(() => {})
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
