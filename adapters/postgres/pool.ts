import { setTimeout as delay } from 'node:timers/promises'
import { periodically } from '../../src/async/periodically.ts'
import { storeUnavailable } from '../../src/errors.ts'
import type { PostgresConnection, PostgresPool, StatementRunner } from './client.ts'
import { isRepeatable } from './errors.ts'

/** Firewalls and load balancers forget a connection without traffic. */
const LISTENING_CHECK_MS = 15_000
const MAX_RETRY_DELAY_MS = 500

/** Several stores may share a connection. */
const watched = new WeakSet<PostgresConnection>()
/** PostgreSQL confirmed a commit to them that it no longer holds back for the standby. */
const unconfirmed = new WeakSet<PostgresConnection>()

const ignore = () => {}

function watch(connection: PostgresConnection): void {
  if (watched.has(connection)) return
  watched.add(connection)
  // Without a listener, an error would end the process. The statement that waits for its answer rejects, too.
  connection.on('error', ignore)
  connection.on('notice', ({ routine }) => {
    if (routine === 'SyncRepWaitForLSN') unconfirmed.add(connection)
  })
}

/**
 * Runs statements over the connections of a pool, and listens over one connection of its own.
 *
 * @param verify checks a new connection, and throws if the store must not use it
 */
export function createPoolRunner(
  pool: PostgresPool,
  timeoutMs: number,
  verify: (query: StatementRunner['query']) => Promise<void>,
): StatementRunner {
  const verified = new WeakSet<PostgresConnection>()
  pool.off('error', ignore)
  pool.on('error', ignore)
  // Before the pool lends a connection: an error may arrive in the same turn of the event loop.
  pool.off('acquire', watch)
  pool.on('acquire', watch)

  async function adopt(connection: PostgresConnection): Promise<void> {
    await verify((text, values) => connection.query({ text, values, query_timeout: timeoutMs }))
    verified.add(connection)
  }

  return {
    async query(text, values, name) {
      const deadline = performance.now() + timeoutMs
      const connection = await pool.connect()
      let isUsable = true
      try {
        const left = Math.ceil(deadline - performance.now())
        // The caller has given up, and a write must not be applied long after that.
        if (left <= 0) throw storeUnavailable(`no connection of the pool was free within ${timeoutMs} ms`)
        isUsable = false
        if (!verified.has(connection)) await adopt(connection)
        const answer = await connection.query({
          text,
          values,
          ...(name !== undefined && { name }),
          query_timeout: left,
        })
        if (unconfirmed.has(connection)) {
          throw storeUnavailable('the standby has not confirmed the write: a failover may lose it')
        }
        isUsable = true
        return answer
      } catch (error) {
        isUsable ||= isRepeatable(error)
        throw error
      } finally {
        // After another error the next call uses a new connection, which may lead to another server.
        connection.release(!isUsable)
      }
    },

    async listen(channel, receive, resumed) {
      let current: PostgresConnection | undefined
      let isStopped = false
      const run = (connection: PostgresConnection, text: string) =>
        connection.query({ text, query_timeout: timeoutMs })

      async function open(): Promise<void> {
        const connection = await pool.connect()
        connection.on('end', () => void (connection === current && reopen()))
        connection.on('notification', ({ payload }) => receive(payload ?? ''))
        try {
          await run(connection, `listen "${channel}"`)
        } catch (error) {
          connection.release(true)
          throw error
        }
        if (isStopped) connection.release(true)
        else current = connection
      }

      function close(): void {
        current?.release(true)
        current = undefined
      }

      async function reopen(): Promise<void> {
        close()
        for (let attempt = 1; !isStopped && !current; attempt += 1) {
          await delay(Math.min(attempt * 50, MAX_RETRY_DELAY_MS), undefined, { ref: false })
          await open().then(resumed, ignore)
        }
      }

      await open()
      const stopChecking = periodically(async () => {
        const checked = current
        if (!checked) return
        await run(checked, 'select').catch(() => (checked === current ? reopen() : undefined))
      }, LISTENING_CHECK_MS)
      return async () => {
        isStopped = true
        stopChecking()
        close()
      }
    },
  }
}
