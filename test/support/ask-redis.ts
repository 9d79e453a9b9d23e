import { Redis } from 'ioredis'

/**
 * Asks one server, on a connection of its own.
 *
 * @throws if it does not run, or does not answer within a second
 */
export async function askRedis(
  server: { readonly port: number },
  command: string,
  ...args: (string | number)[]
): Promise<unknown> {
  const client = new Redis(server.port, '127.0.0.1', {
    connectTimeout: 1000,
    commandTimeout: 1000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    // A server is asked before it is ready for others, too.
    enableReadyCheck: false,
  })
  client.on('error', () => {})
  try {
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}
