import type { RedisClientOptions } from './client.ts'
import { messageOf } from './errors.ts'

/** The redirecting node has not executed the command. */
export interface Redirection {
  /** True for `ASK`: only this command goes to `address`, after ASKING, because the key is migrating. */
  readonly asking: boolean
  /** `host:port` */
  readonly address: string
}

/**
 * Parses a redirection such as `MOVED 3999 127.0.0.1:6381`; undefined for any other error. An empty host
 * means the host of `from`, the node that has answered.
 */
export function redirectionOf(
  error: unknown,
  from: string,
  options: RedisClientOptions = {},
): Redirection | undefined {
  const [, kind, host, port] = /^(MOVED|ASK) \d+ (.*):(\d+)$/.exec(messageOf(error)) ?? []
  if (kind === undefined) return undefined
  const address = `${host || split(from).host}:${port}`
  return { asking: kind === 'ASK', address: mapped(address, options.natMap) }
}

/** Relies on: Redis redirects with `MOVED` or `ASK`; ioredis rejects a pipeline for several nodes with this text. */
export function isMisdirected(error: unknown): boolean {
  return /^(?:MOVED |ASK |All keys in the pipeline should belong to the same slots)/.test(messageOf(error))
}

/** The two parts of `host:port`; the host may be an IPv6 address. */
export function split(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) }
}

function mapped(address: string, natMap: unknown): string {
  const found: unknown =
    typeof natMap === 'function'
      ? Reflect.apply(natMap, undefined, [address])
      : (natMap as Record<string, unknown> | null | undefined)?.[address]
  if (typeof found !== 'object' || found === null || !('host' in found) || !('port' in found)) return address
  return `${String(found.host)}:${String(found.port)}`
}
