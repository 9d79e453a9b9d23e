import { createHash } from 'node:crypto'
import type { RedisCommand } from './client.ts'

/**
 * Two commands that run the same script on one key. `command` contains the hash of the script. `withText`
 * contains its text, for a server that does not have the script.
 */
export interface ScriptCall {
  readonly command: RedisCommand
  readonly withText: RedisCommand
}

/** Returns a function that creates the calls of the Lua script `text`. Redis runs the script atomically. */
export function createScript(text: string): (key: string, ...args: (string | number)[]) => ScriptCall {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return (key, ...args) => ({
    command: ['evalsha', sha1, 1, key, ...args],
    withText: ['eval', text, 1, key, ...args],
  })
}
