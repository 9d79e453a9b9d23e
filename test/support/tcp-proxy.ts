import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A relay that simulates network faults and latency in front of a server on 127.0.0.1. */
export interface TcpProxy {
  readonly port: number
  /** Milliseconds that data takes in each direction; 0 at the start. */
  oneWay: number
  /** Number of chunks that are in transit now. */
  readonly inTransit: number
  /**
   * Drops the next answer, and closes its connection. The server has then executed the command, but the
   * client does not know this.
   */
  loseNextAnswer(): void
  /**
   * Closes all connections, and accepts no new connections. Resolves with a function that listens again on
   * the same port.
   */
  cut(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Starts a relay to `port`. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const open = new Set<Socket>()
  let dropsNext = false
  let oneWay = 0
  let inTransit = 0

  function pass(data: Buffer, to: Socket): void {
    if (oneWay === 0) {
      to.write(data)
      return
    }
    inTransit += 1
    setTimeout(() => {
      inTransit -= 1
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
      if (dropsNext) cut()
      else pass(data, client)
      dropsNext = false
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
    get inTransit() {
      return inTransit
    },
    loseNextAnswer() {
      dropsNext = true
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
