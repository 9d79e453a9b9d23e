import { createHash } from 'node:crypto'
import type { RedisClient } from './client.ts'
import { isNoScript } from './failure.ts'

/** A function that runs `text` (Lua) within Redis, atomically, with one key. */
export function createScript(text: string) {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return async (client: RedisClient, key: string, ...args: (string | number)[]): Promise<unknown> => {
    try {
      return await client.evalsha(sha1, 1, key, ...args)
    } catch (error) {
      if (!isNoScript(error)) throw error
      return client.eval(text, 1, key, ...args)
    }
  }
}
