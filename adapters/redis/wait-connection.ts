// Model: test/proof/models/refresh-family.pml
import { storeUnavailable } from '../../src/errors.ts'
import type { PipelineReply, RedisCommand, RedisConnection } from './client.ts'
import type { Durability } from './options.ts'

export interface WaitReply {
  readonly reply: unknown
  /** The number of replicas, or the error of WAIT. */
  readonly waited: PipelineReply
}

interface QueuedCommand {
  readonly commands: RedisCommand[]
  readonly timer: NodeJS.Timeout
  resolve(reply: WaitReply): void
  reject(error: unknown): void
}

/** The most that a command waits for a ready connection, and a server to answer after the timeout of WAIT. */
const SLOW_ANSWER_MS = 1000

/** The write was not sent, so it may be sent over another connection. */
export class WaitConnectionClosed extends Error {}

/**
 * A connection for writes that wait for replicas. WAIT blocks its connection. Commands that arrive during a WAIT
 * are queued, and then sent together, followed by one WAIT. So a command waits for at most one earlier WAIT,
 * however slow the replicas are. A command that was queued for `timeoutMs` is rejected and not sent. No command is sent
 * twice. The connection is closed (`onClose`) if it is lost, or if its server has too few replicas or does not answer
 * in time. Commands that were already sent are then rejected, and the next write opens a new connection.
 */
export function createWaitConnection(
  connection: RedisConnection,
  { replicas, timeoutMs }: Durability,
  onClose: () => void,
) {
  const queue = new Set<QueuedCommand>()
  const wait: RedisCommand = ['wait', replicas, timeoutMs]
  let isSending = false
  let lastError: unknown

  async function sendQueue(): Promise<void> {
    if (isSending || queue.size === 0 || connection.status !== 'ready') return
    const group = takeQueue()
    isSending = true
    const overdue = setTimeout(close, timeoutMs + SLOW_ANSWER_MS)
    try {
      const commands = [...group.flatMap((one) => one.commands), wait]
      settle(group, (await connection.pipeline(commands).exec()) ?? [])
    } catch (error) {
      for (const { reject } of group) reject(error)
    } finally {
      clearTimeout(overdue)
      isSending = false
    }
    await sendQueue()
  }

  function takeQueue(): QueuedCommand[] {
    const group = [...queue]
    queue.clear()
    for (const { timer } of group) clearTimeout(timer)
    return group
  }

  function rejectQueue(error: unknown): void {
    for (const { reject } of takeQueue()) reject(error)
  }

  function settle(group: readonly QueuedCommand[], replies: readonly PipelineReply[]): void {
    const waited = replies.at(-1) ?? [new Error('no answer'), undefined]
    // A demoted master may still answer. A new connection finds the current master.
    if (waited[0] || Number(waited[1]) < replicas) close()
    let position = 0
    for (const { commands, resolve, reject } of group) {
      position += commands.length
      // The reply to ASKING, if it was sent, precedes the reply to the command.
      const [error, reply] = replies[position - 1] ?? waited
      if (error) reject(error)
      else resolve({ reply, waited })
    }
  }

  function close(): void {
    onClose()
    rejectQueue(new WaitConnectionClosed('the connection was closed'))
    connection.disconnect()
  }

  connection.on('ready', () => void sendQueue())
  connection.on('error', (error) => {
    lastError = error
    if (connection.status !== 'ready') rejectQueue(error)
  })
  connection.on('end', () => {
    onClose()
    rejectQueue(lastError ?? new Error('Connection is closed.'))
  })

  return {
    /**
     * Sends a command, and WAIT. With `asking`, the slot of its key is moving to this node, so ASKING precedes it.
     * Rejects with the error of Redis; with `ERR_STORE_UNAVAILABLE` or `WaitConnectionClosed` if the command was not
     * sent. After any other error, the command may have been applied.
     */
    send(command: RedisCommand, { asking = false } = {}): Promise<WaitReply> {
      return new Promise((resolve, reject) => {
        const entry: QueuedCommand = {
          commands: asking ? [['asking'], command] : [command],
          timer: setTimeout(
            () => {
              queue.delete(entry)
              reject(storeUnavailable(NOT_SENT))
            },
            connection.status === 'ready' ? timeoutMs : Math.max(timeoutMs, SLOW_ANSWER_MS),
          ),
          resolve,
          reject,
        }
        queue.add(entry)
        void sendQueue()
      })
    },
    close: () => connection.disconnect(),
  }
}

const NOT_SENT =
  'a write was not sent, because there was no connection in time, or because earlier writes waited for replicas'
