import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A relay in front of a server on 127.0.0.1, for faults that lie between the two, and for long ways. */
export interface TcpProxy {
  readonly port: number
  /** Milliseconds that data is on the way, in each direction; 0 at the start. */
  oneWay: number
  /** How many pieces of data are on the way now. */
  readonly onTheWay: number
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
  let oneWay = 0
  let onTheWay = 0

  function pass(data: Buffer, to: Socket): void {
    if (oneWay === 0) {
      to.write(data)
      return
    }
    onTheWay += 1
    setTimeout(() => {
      onTheWay -= 1
      to.write(data)
    }, oneWay)
  }

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const cut = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        open.delete(socket)
        cut()
      })
    }
    client.on('data', (data) => pass(data, upstream))
    upstream.on('data', (data) => {
      if (losing) cut()
      else pass(data, client)
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
    get oneWay() {
      return oneWay
    },
    set oneWay(milliseconds) {
      oneWay = milliseconds
    },
    get onTheWay() {
      return onTheWay
    },
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
