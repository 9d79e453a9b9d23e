import { Redis } from 'ioredis'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { sqliteStore } from 'koa-gatehouse/adapters/sqlite'
import { openPostgres } from './postgres.ts'
import type { StoreSettings } from './settings.ts'
import { openSqlite } from './sqlite.ts'
import { StartError } from './start-error.ts'

/** A store, and the connection that the example has opened for it. */
interface OpenStore {
  readonly store: Store
  /** Where the data is: a sentence. */
  readonly place: string
  close(): void
}

/**
 * Opens the store of the example. The example creates the client of the database, so it also has to close it.
 *
 * @throws {StartError} if the database cannot be used
 */
export async function openStore(settings: StoreSettings): Promise<OpenStore> {
  if (settings?.variable === 'REDIS_URL') return openRedis(settings.value)
  if (settings?.variable === 'DATABASE_URL') {
    return { ...(await openPostgres(settings.value)), place: 'The data is in PostgreSQL.' }
  }
  if (settings?.variable === 'SQLITE_FILE') {
    const database = await openSqlite(settings.value)
    const place = `The data is in ${settings.value}.`
    return { store: sqliteStore(database), place, close: () => database.close() }
  }
  return {
    store: memoryStore(),
    place: 'The data is in memory, and is lost when the example ends.',
    close() {},
  }
}

async function openRedis(url: string): Promise<OpenStore> {
  if (!/^rediss?:\/\//.test(url) || URL.parse(url) === null) {
    throw new StartError('REDIS_URL is not an address such as redis://localhost:6379')
  }

  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2000,
    // While Redis is unavailable, a request gets 503 at once instead of waiting in a queue.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
  })
  let lastError: Error | undefined
  // ioredis reconnects automatically, so errors matter only until the first connection.
  redis.on('error', (error: Error) => (lastError = error))
  const failed = new Promise<never>((_resolve, reject) => {
    redis.once('close', () => reject(lastError ?? new Error('the connection was closed')))
    setTimeout(() => reject(lastError ?? new Error('no answer')), 2000).unref()
  })
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), failed])
  } catch (error) {
    redis.disconnect()
    const { host } = new URL(url)
    throw new StartError(`Redis at ${host} cannot be used: ${lastError?.message ?? (error as Error).message}`)
  }
  failed.catch(() => {})
  return { store: redisStore(redis), place: 'The data is in Redis.', close: () => redis.disconnect() }
}
