import { createChannelListeners } from '../../src/store/channel-listeners.ts'
import { textOfColumn } from '../../src/store/text-of-column.ts'
import { UNTIL, type Queries } from './database.ts'
import type { Transactions } from './transactions.ts'

const POLL_INTERVAL_MS = 100
const KEPT_SECONDS = 60

/** Messages are rows. A process with listeners reads new rows every 100 ms, and after each message of its own. */
export function createMessages({ change, rows }: Queries, { read, write }: Transactions) {
  const listeners = createChannelListeners()
  let polling: NodeJS.Timeout | undefined
  /** The id of the last message that was delivered. */
  let last = 0

  function deliver(): void {
    if (listeners.channels().length === 0) {
      last = Number(rows('select max(id) as id from gatehouse_message')[0]?.['id'] ?? 0)
    }
    for (const row of rows('select * from gatehouse_message where id > ? order by id', last)) {
      last = Number(row['id'])
      listeners.deliver(textOfColumn(row['channel']), textOfColumn(row['message']))
    }
  }

  function poll(): void {
    read(deliver).catch(() => {})
  }

  function stopPolling(): void {
    clearInterval(polling)
    polling = undefined
  }

  return {
    async publish(channel: string, message: string): Promise<void> {
      const sql = `insert into gatehouse_message (channel, message, expires_at) values (?, ?, ${UNTIL})`
      await write(() => change(sql, channel, message, KEPT_SECONDS))
      if (polling) poll()
    },

    async subscribe(channel: string, listener: (message: string) => void) {
      await read(deliver)
      const { remove } = listeners.add(channel, listener)
      polling ??= setInterval(poll, POLL_INTERVAL_MS).unref()
      return async () => {
        remove()
        if (listeners.channels().length === 0) stopPolling()
      }
    },

    close(): void {
      listeners.clear()
      stopPolling()
    },
  }
}
