import { Redis } from 'ioredis'

/**
 * Sends one command to one server, on a connection of its own.
 *
 * @throws if the server does not run, or does not answer within five seconds
 */
export async function askRedis(
  server: { readonly port: number },
  command: string,
  ...args: (string | number)[]
): Promise<unknown> {
  const client = new Redis(server.port, '127.0.0.1', {
    connectTimeout: 5000,
    commandTimeout: 5000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    // Without the ready check, the command reaches a server even while the server is still starting.
    enableReadyCheck: false,
  })
  client.on('error', () => {})
  try {
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}
