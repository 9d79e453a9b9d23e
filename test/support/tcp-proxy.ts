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
  /**
   * Holds all data of one direction, and returns a function that lets it continue. `up` is the direction to the server.
   */
  hold(direction: Direction): () => void
  /**
   * Loses all data of one direction, while the connections stay open. Returns a function that ends this, and closes the
   * connections that lost data.
   */
  drop(direction: Direction): () => void
  /** Closes all connections, and relays new connections to another port. */
  retarget(port: number): void
  close(): Promise<void>
}

export type Direction = 'up' | 'down'

/** Starts a relay to `port`. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  let target = port
  const open = new Set<Socket>()
  /** What waits while a direction is held; undefined while it is not. */
  const held: Record<Direction, (() => void)[] | undefined> = { up: undefined, down: undefined }
  const isDropping: Record<Direction, boolean> = { up: false, down: false }
  const lostData = new Set<Socket>()
  let dropsNext = false
  let oneWay = 0
  let inTransit = 0
  /** What is in transit to each socket. */
  const inOrder = new Map<Socket, Buffer[]>()

  function pass(data: Buffer, to: Socket, direction: Direction): void {
    if (isDropping[direction]) {
      lostData.add(to)
      return
    }
    if (held[direction]) {
      held[direction].push(() => to.write(data))
      return
    }
    const waiting = inOrder.get(to) ?? []
    if (oneWay === 0 && waiting.length === 0) {
      to.write(data)
      return
    }
    // TCP never changes the order, also while `oneWay` changes.
    inOrder.set(to, waiting)
    waiting.push(data)
    inTransit += 1
    setTimeout(() => {
      inTransit -= 1
      to.write(waiting.shift() ?? '')
    }, oneWay)
  }

  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
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
    client.on('data', (data) => pass(data, upstream, 'up'))
    upstream.on('data', (data) => {
      if (dropsNext) cut()
      else pass(data, client, 'down')
      dropsNext = false
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const { port: ownPort } = server.address() as AddressInfo

  const closeAll = (sockets: ReadonlySet<Socket> = open) => {
    for (const socket of sockets) socket.destroy()
  }

  async function close(): Promise<void> {
    closeAll()
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
    hold(direction) {
      const queue = (held[direction] ??= [])
      return () => {
        held[direction] = undefined
        for (const write of queue) write()
      }
    },
    drop(direction) {
      isDropping[direction] = true
      return () => {
        isDropping[direction] = false
        closeAll(lostData)
        lostData.clear()
      }
    },
    retarget(next) {
      target = next
      closeAll()
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
