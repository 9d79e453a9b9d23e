import { GatehouseError } from '../../src/errors.ts'
import type { PipelineReply, RedisCommand, RedisConnection } from './client.ts'
import type { Durability } from './options.ts'

/** What a lane says of a command that was executed. */
export interface LaneReply {
  readonly reply: unknown
  /** What WAIT has answered, or why it did not. */
  readonly waited: PipelineReply
}

interface Waiting {
  readonly commands: RedisCommand[]
  readonly timer: NodeJS.Timeout
  resolve(reply: LaneReply): void
  reject(error: unknown): void
}

/** Milliseconds that connecting may take, or an answer come later than WAIT allows, before that counts as dead. */
const GRACE = 1000

/** A write was not sent, because its lane was given up before. It may be sent on another one. */
export class LaneGivenUp extends Error {}

/**
 * A connection for writes that wait for replicas. WAIT blocks its connection, so what arrives meanwhile is
 * gathered and goes out together, with one WAIT behind it: however slow the replicas are, nobody stands behind
 * more than one WAIT, and a write that has stood there for `timeoutMs` is rejected without being sent.
 *
 * Nothing is ever sent twice. A lane whose connection is lost is over (`onEnd`), and so is one whose server has too
 * few replicas or does not answer in time: what was sent is rejected, and the next write opens another one.
 */
export function createLane(
  connection: RedisConnection,
  { replicas, timeoutMs }: Durability,
  onEnd: () => void,
) {
  const waiting = new Set<Waiting>()
  let isSending = false
  let lastError: unknown

  async function flush(): Promise<void> {
    if (isSending || waiting.size === 0 || connection.status !== 'ready') return
    const group = [...waiting]
    waiting.clear()
    for (const { timer } of group) clearTimeout(timer)
    isSending = true
    const overdue = setTimeout(giveUp, timeoutMs + GRACE)
    try {
      const commands = [...group.flatMap((one) => one.commands), wait]
      settle(group, (await connection.pipeline(commands).exec()) ?? [])
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      clearTimeout(overdue)
      isSending = false
    }
    await flush()
  }
  const wait: RedisCommand = ['wait', replicas, timeoutMs]

  function settle(group: readonly Waiting[], replies: readonly PipelineReply[]): void {
    const waited = replies.at(-1) ?? [new Error('no answer'), undefined]
    // Who is no longer the master may go on answering; who has become it is found by connecting anew.
    if (waited[0] || Number(waited[1]) < replicas) giveUp()
    let position = 0
    for (const { commands, resolve, reject } of group) {
      position += commands.length
      // ASKING, where there is one, stands before the command.
      const [error, reply] = replies[position - 1] ?? waited
      if (error) reject(error)
      else resolve({ reply, waited })
    }
  }

  function giveUp(): void {
    onEnd()
    refuse(new LaneGivenUp('the connection was given up'))
    connection.disconnect()
  }

  function refuse(error: unknown): void {
    const refused = [...waiting]
    waiting.clear()
    for (const { timer, reject } of refused) {
      clearTimeout(timer)
      reject(error)
    }
  }

  connection.on('ready', () => void flush())
  connection.on('error', (error) => {
    lastError = error
    if (connection.status !== 'ready') refuse(error)
  })
  connection.on('end', () => {
    onEnd()
    refuse(lastError ?? new Error('Connection is closed.'))
  })

  return {
    /**
     * Sends a command with a WAIT behind it.
     *
     * @param options.asking whether the key is on its way to this node
     * @throws what Redis answers to the command, or that it was not sent, or that its answer was lost
     */
    send(command: RedisCommand, { asking = false } = {}): Promise<LaneReply> {
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          commands: asking ? [['asking'], command] : [command],
          timer: setTimeout(
            () => {
              waiting.delete(entry)
              reject(notSent())
            },
            connection.status === 'ready' ? timeoutMs : Math.max(timeoutMs, GRACE),
          ),
          resolve,
          reject,
        }
        waiting.add(entry)
        void flush()
      })
    },
    close: () => connection.disconnect(),
  }
}

function notSent(): GatehouseError {
  return new GatehouseError(
    'ERR_STORE_UNAVAILABLE',
    'a write was not sent, because Redis did not connect in time, or earlier ones waited for replicas',
  )
}
