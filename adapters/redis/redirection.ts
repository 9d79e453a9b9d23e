import type { RedisClientOptions } from './client.ts'
import { messageOf } from './errors.ts'

/** Where a node of a cluster sends a command that it has not executed. */
export interface Redirection {
  /** `ASK`: for this one command only, after ASKING, because its key is on the move. */
  readonly asking: boolean
  /** `host:port` */
  readonly address: string
}

/**
 * Reads a refusal of a node of a cluster: `MOVED 3999 127.0.0.1:6381`. An empty host is that of the node itself.
 *
 * @param from `host:port` of the node that has answered
 * @returns undefined if the error is another one
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

/**
 * Whether a command of a bundle was not executed because of where its key is: a node has sent it elsewhere, or the
 * client has found that the keys of the bundle have parted in the meantime.
 */
export function isMisdirected(error: unknown): boolean {
  return /^(?:MOVED |ASK |All keys in the pipeline should belong to the same slots)/.test(messageOf(error))
}

/** The two parts of `host:port`; the host may be an IPv6 address. */
export function split(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) }
}

/** As ioredis maps the addresses of nodes: by an object, or by a function. */
function mapped(address: string, natMap: unknown): string {
  const found: unknown =
    typeof natMap === 'function'
      ? Reflect.apply(natMap, undefined, [address])
      : (natMap as Record<string, unknown> | null | undefined)?.[address]
  if (typeof found !== 'object' || found === null || !('host' in found) || !('port' in found)) return address
  return `${String(found.host)}:${String(found.port)}`
}
