import type { RedisServerClient } from '../client.ts'

export interface ServerAnswers {
  /** `host:port`; undefined if there is only one server. */
  readonly address?: string | undefined
  /** The fields of INFO; undefined if the server rejects INFO. */
  readonly info: Fields | undefined
  /** Settings that INFO does not contain; empty if the server rejects CONFIG, as managed services do. */
  readonly settings: Fields
  /** The fields of CLUSTER INFO; undefined without a cluster, or if the server rejects CLUSTER. */
  readonly cluster: Fields | undefined
  /** Milliseconds since the epoch; undefined if the server rejects TIME. */
  readonly time: number | undefined
}

export type Fields = ReadonlyMap<string, string>

const SETTINGS = ['save', 'appendfsync', 'stop-writes-on-bgsave-error']

/** Reads the state of a server. A rejected command has no answer. @throws as ioredis, also for NOAUTH and WRONGPASS */
export async function askServer(
  server: RedisServerClient,
  { address, isCluster = false }: { address?: string | undefined; isCluster?: boolean | undefined } = {},
): Promise<ServerAnswers> {
  const [info, time, cluster, ...settings] = await Promise.all([
    ask(server, 'INFO'),
    ask(server, 'TIME'),
    isCluster ? ask(server, 'CLUSTER', 'INFO') : undefined,
    ...SETTINGS.map((name) => ask(server, 'CONFIG', 'GET', name)),
  ])
  return {
    address,
    info: fieldsOf(info),
    settings: new Map(
      settings.flatMap((reply, position) => {
        const [value] = valuesOf(reply).slice(1)
        return value === undefined ? [] : [[SETTINGS[position] ?? '', value] as const]
      }),
    ),
    cluster: fieldsOf(cluster),
    time: timeOf(time),
  }
}

/** Undefined if an access list forbids the command, or if the server does not know it. */
async function ask(server: RedisServerClient, command: string, ...args: string[]): Promise<unknown> {
  try {
    return await server.call(command, ...args)
  } catch (error) {
    if (isRejection(error)) return undefined
    throw error
  }
}

function isRejection(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !/^(NOAUTH|WRONGPASS) /.test(error.message)
}

function fieldsOf(reply: unknown): Fields | undefined {
  if (typeof reply !== 'string' && !Buffer.isBuffer(reply)) return undefined
  const lines = reply.toString().split(/\r?\n/)
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([^:#]+):(.*)$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
  )
}

/** The values of a list, or the names and values of a map, in any form in which a client returns a map. */
function valuesOf(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String)
  if (reply instanceof Map) return [...(reply as Map<unknown, unknown>)].flat().map(String)
  if (typeof reply === 'object' && reply !== null) return Object.entries(reply).flat().map(String)
  return []
}

function timeOf(reply: unknown): number | undefined {
  const [seconds, microseconds] = valuesOf(reply).map(Number)
  if (seconds === undefined || microseconds === undefined) return undefined
  const time = seconds * 1000 + microseconds / 1000
  return Number.isFinite(time) ? time : undefined
}
