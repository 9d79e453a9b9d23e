import { Redis } from 'ioredis'
import type { Store } from 'koa-gatehouse'
import { memoryStore } from 'koa-gatehouse/adapters/memory'
import { redisStore } from 'koa-gatehouse/adapters/redis'
import { StartError } from './start-error.ts'

/**
 * Opens the store of the example. The example creates the Redis client, so it also has to close the client.
 *
 * @param redisUrl undefined for the memory store
 * @throws {StartError} if Redis does not answer within two seconds
 */
export async function openStore(redisUrl: string | undefined): Promise<{ store: Store; close(): void }> {
  if (redisUrl === undefined) return { store: memoryStore(), close() {} }
  if (!/^rediss?:\/\//.test(redisUrl) || URL.parse(redisUrl) === null) {
    throw new StartError('REDIS_URL is not an address such as redis://localhost:6379')
  }

  const redis = new Redis(redisUrl, {
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
    const { host } = new URL(redisUrl)
    throw new StartError(`Redis at ${host} cannot be used: ${lastError?.message ?? (error as Error).message}`)
  }
  failed.catch(() => {})
  return { store: redisStore(redis), close: () => redis.disconnect() }
}
