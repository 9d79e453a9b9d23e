import { createHash } from 'node:crypto'
import type { RedisCommand } from './client.ts'

/** A script with one key: how it is called, and how it is sent to a server that does not have it. */
export interface ScriptCall {
  readonly command: RedisCommand
  readonly withText: RedisCommand
}

/** A function that makes the calls of `text` (Lua), which runs within Redis, atomically. */
export function createScript(text: string): (key: string, ...args: (string | number)[]) => ScriptCall {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return (key, ...args) => ({
    command: ['evalsha', sha1, 1, key, ...args],
    withText: ['eval', text, 1, key, ...args],
  })
}
