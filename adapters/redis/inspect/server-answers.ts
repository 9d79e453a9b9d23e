import type { RedisServerClient } from '../client.ts'

/** What one server says about itself. */
export interface ServerAnswers {
  /** `host:port`; undefined where there is but one server. */
  readonly address?: string | undefined
  /** The fields of INFO; undefined where it refuses to tell. */
  readonly info: Fields | undefined
  /** The settings that INFO does not tell; none where CONFIG is refused, as managed services do. */
  readonly settings: Fields
  /** The fields of CLUSTER INFO; undefined where there is no cluster, or it refuses to tell. */
  readonly cluster: Fields | undefined
  /** Milliseconds since the epoch; undefined where it refuses to tell. */
  readonly time: number | undefined
}

/** Texts by their name. */
export type Fields = ReadonlyMap<string, string>

const SETTINGS = ['save', 'appendfsync', 'stop-writes-on-bgsave-error']

/**
 * Asks a server about itself. All questions are sent before the first answer.
 *
 * @throws what the client throws where the server does not answer; what it refuses is left out
 */
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

/** The answer; undefined if it is a refusal: by an access list, or because the server has no such command. */
async function ask(server: RedisServerClient, command: string, ...args: string[]): Promise<unknown> {
  try {
    return await server.call(command, ...args)
  } catch (error) {
    if (isRejection(error)) return undefined
    throw error
  }
}

/** Whoever is not let in at all learns that from the rejection. */
function isRejection(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !/^(NOAUTH|WRONGPASS) /.test(error.message)
}

/** Lines of `name:value`. */
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

/** Name and value, from whatever shape the client gives a map. */
function valuesOf(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.map(String)
  if (reply instanceof Map) return [...(reply as Map<unknown, unknown>)].flat().map(String)
  if (typeof reply === 'object' && reply !== null) return Object.entries(reply).flat().map(String)
  return []
}

/** TIME answers seconds and microseconds. */
function timeOf(reply: unknown): number | undefined {
  const [seconds, microseconds] = valuesOf(reply).map(Number)
  if (seconds === undefined || microseconds === undefined) return undefined
  const time = seconds * 1000 + microseconds / 1000
  return Number.isFinite(time) ? time : undefined
}
