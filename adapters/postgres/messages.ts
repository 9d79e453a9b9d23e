import { createChannelListeners } from '../../src/store/channel-listeners.ts'
import { textOfColumn } from '../../src/store/text-of-column.ts'
import type { PostgresRow, StatementRunner } from './client.ts'
import type { StatementName } from './statements.ts'

/** The payload of NOTIFY must be shorter. A longer message is stored, and its id is sent. */
const NOTIFY_LIMIT_BYTES = 8000
/** The message that a store sends to itself. */
const PROBE = ''
const PROBE_TIMEOUT_MS = 2000
const POLL_MS = 1000

type Run = (name: StatementName, ...values: unknown[]) => Promise<readonly PostgresRow[]>

/**
 * Sends and receives messages by `NOTIFY` and `LISTEN`, in one channel of the database for all channels of the store.
 *
 * A pooler in transaction mode accepts `LISTEN`, and delivers nothing. So a store that listens sends itself a message.
 * If that message does not come within two seconds, all listeners are notified each second that messages may be missed.
 */
export function createMessages(run: Run, { listen }: Pick<StatementRunner, 'listen'>, schema: string) {
  const listeners = createChannelListeners()
  let listening: Promise<() => Promise<void>> | undefined
  let areDelivered = false
  let isReported = false
  let timer: NodeJS.Timeout | undefined

  function receive(payload: string): void {
    areDelivered = true
    clearInterval(timer)
    if (payload !== PROBE) deliver(payload).catch(() => listeners.notifyMissed())
  }

  async function deliver(payload: string): Promise<void> {
    const [row] = payload.startsWith('[') ? [{ message: payload }] : await run('longMessage', payload)
    if (!row) return listeners.notifyMissed()
    const [channel, message] = JSON.parse(textOfColumn(row['message'])) as [string, string]
    listeners.deliver(channel, message)
  }

  function probe(): void {
    areDelivered = false
    clearInterval(timer)
    if (!listening) return
    timer = setTimeout(poll, PROBE_TIMEOUT_MS).unref()
    run('notify', schema, PROBE).catch(() => {})
  }

  function poll(): void {
    timer = setInterval(() => listeners.notifyMissed(), POLL_MS).unref()
    if (!isReported) process.emitWarning(NOT_DELIVERED, { code: 'GATEHOUSE_POSTGRES_POLLING' })
    isReported = true
  }

  function startListening(): Promise<unknown> {
    const onResumed = () => {
      probe()
      listeners.notifyMissed()
    }
    const opening = listen(schema, receive, onResumed)
    opening.then(probe, () => {
      if (listening === opening) listening = undefined
    })
    listening = opening
    return opening
  }

  function stopListening(): void {
    clearInterval(timer)
    listening?.then((stop) => stop()).catch(() => {})
    listening = undefined
  }

  return {
    /** Whether PostgreSQL delivers messages: then each connection of the pool also leads to one session of PostgreSQL. */
    get areDelivered() {
      return areDelivered
    },
    get isListening() {
      return listening !== undefined
    },

    async publish(channel: string, message: string): Promise<void> {
      const payload = JSON.stringify([channel, message])
      if (Buffer.byteLength(payload) < NOTIFY_LIMIT_BYTES) await run('notify', schema, payload)
      else await run('notifyLong', schema, Buffer.from(payload))
    },

    async subscribe(channel: string, listener: (message: string) => void, missed?: () => void) {
      const { remove, isListening } = listeners.add(channel, listener, missed)
      const unsubscribe = async () => {
        // A pool cannot be closed as long as one of its connections is in use.
        if (remove() && listeners.channels().length === 0) stopListening()
      }
      try {
        // Rejects if the store is closed or PostgreSQL cannot be reached, also if the store listens already.
        await run('ping')
        // The store may have been closed meanwhile.
        if (isListening()) await (listening ?? startListening())
      } catch (error) {
        await unsubscribe()
        throw error
      }
      return unsubscribe
    },

    close(): void {
      listeners.clear()
      stopListening()
    },
  }
}

const NOT_DELIVERED =
  'PostgreSQL does not deliver messages to koa-gatehouse, as behind PgBouncer in transaction mode: it polls every second instead'
