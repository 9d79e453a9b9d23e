/** Processes for the measurements that need more than one; they end with this one. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProcessOptions, Question, Told } from './rotation-process.ts'

/** A process that runs `rotation-process.ts`. */
export interface Running {
  readonly port: number
  /** Asks it for something; rejects if it ends before it has answered, or takes longer than `withinMs`. */
  ask<T>(ask: Question['ask'], withinMs?: number, kid?: string): Promise<T>
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Settles when it has ended. */
  readonly ended: Promise<unknown>
}

const children: ChildProcess[] = []
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** @param onEvent told of the changes of keys that the process makes */
export async function startProcess(
  options: ProcessOptions,
  onEvent: (event: NonNullable<Told['event']>) => void = () => {},
): Promise<Running> {
  const child = fork(path.join(import.meta.dirname, 'rotation-process.ts'), [JSON.stringify(options)])
  children.push(child)
  const ended = once(child, 'exit')
  const asked = new Map<number, (value: unknown) => void>()
  let count = 0
  const ready = new Promise<void>((resolve) => {
    child.on('message', ({ ready: isReady, event, number = -1, value }: Told) => {
      if (isReady) resolve()
      if (event) onEvent(event)
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
    async ask<T>(ask: Question['ask'], withinMs = 20_000, kid?: string) {
      const number = (count += 1)
      const answer = new Promise<unknown>((resolve) => asked.set(number, resolve))
      child.send({ number, ask, kid } satisfies Question)
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
