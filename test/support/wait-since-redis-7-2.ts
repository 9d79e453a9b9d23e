import type { PipelineReply, RedisClient, RedisCommand } from '../../adapters/redis/client.ts'

/**
 * Makes WAIT count as it does since Redis 7.2 and in Valkey, on each connection that `client` opens from now on:
 * it waits for the last command of its connection that replicated something, and for nothing else. Redis 7.0 waits
 * for everything that the server has replicated. So the tests on Redis 7.0 notice if a write relies on that.
 */
export function waitSinceRedis72(client: RedisClient): void {
  const duplicate = client.duplicate.bind(client)
  client.duplicate = (override) => {
    const connection = duplicate(override)
    const pipeline = connection.pipeline.bind(connection)
    const send = async (commands: RedisCommand[]) => (await pipeline(commands).exec()) ?? []

    async function sendThenWait(commands: RedisCommand[], wait: RedisCommand): Promise<PipelineReply[]> {
      const count: RedisCommand = ['info', 'persistence']
      const all = await send([count, ...commands.flatMap((command) => [command, count])])
      const counts = all.filter((_, position) => position % 2 === 0).map(([, info]) => changesIn(info))
      // What this connection replicated earlier needs no WAIT: the adapter closes a connection whose WAIT has
      // timed out.
      const hasReplicated = new Set(counts).size > 1
      const waited = hasReplicated ? await send([wait]) : await connectedReplicas(send)
      return [...all.filter((_, position) => position % 2 === 1), ...waited]
    }

    connection.pipeline = (commands) => {
      const wait = commands.at(-1)
      if (wait?.[0] !== 'wait') return pipeline(commands)
      return { exec: () => sendThenWait(commands.slice(0, -1), wait) }
    }
    return connection
  }
}

/** The number of changes in a reply to INFO. Redis replicates each command that raises it. */
function changesIn(info: unknown): string | undefined {
  return /^rdb_changes_since_last_save:(\d+)/m.exec(String(info))?.[1]
}

/** The answer of a WAIT that waits for nothing. */
async function connectedReplicas(
  send: (commands: RedisCommand[]) => Promise<PipelineReply[]>,
): Promise<PipelineReply[]> {
  const replies = await send([['info', 'replication']])
  return replies.map(([error, info]) => [
    error,
    String(info).match(/^slave\d+:.*state=online/gm)?.length ?? 0,
  ])
}
