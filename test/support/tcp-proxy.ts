import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A relay in front of a server on 127.0.0.1, for faults that lie between the two. */
export interface TcpProxy {
  readonly port: number
  /** The next answer is swallowed and its connection cut: the server did the work, the client cannot know. */
  loseNextAnswer(): void
  /** Cuts all connections and takes no new ones; answers what takes them again, on the same port. */
  cut(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Starts a relay to `port`. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let losing = false

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (losing) cut()
      else client.write(data)
      losing = false
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { port: ownPort } = server.address() as AddressInfo

  async function close(): Promise<void> {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  }

  return {
    port: ownPort,
    loseNextAnswer() {
      losing = true
    },
    async cut() {
      await close()
      return async () => {
        server.listen(ownPort, '127.0.0.1')
        await once(server, 'listening')
      }
    },
    close,
  }
}
