import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Duplex } from 'node:stream'

/** One connection, as its sender sees it. */
export interface Connection {
  /** How the server identifies the connection: by the server's socket, or by the port of the sender. */
  readonly key: object | number
  /** Closes the sender's side. */
  end(): void
  destroy(): void
}

/** The callbacks of a sender. */
export interface Sender {
  /** Called before the first byte is sent. */
  onOpen(connection: Connection): void
  /** Called once, with all received bytes as a byte string. */
  onClose(received: string): void
}

/**
 * Sends bytes to an HTTP server of this process without the network. The server parses them like bytes from a
 * socket.
 *
 * @param address the client's address
 */
export function openInside(server: Server, bytes: Buffer, address: string, sender: Sender): void {
  const socket = new InsideSocket(address)
  socket.on('close', () => sender.onClose(Buffer.concat(socket.received).toString('latin1')))
  socket.on('error', () => {})
  sender.onOpen({ key: socket, end: () => socket.push(null), destroy: () => socket.destroy() })
  server.emit('connection', socket)
  socket.push(bytes)
}

/** Sends bytes over a TCP connection on loopback. */
export function openOutside(server: Server, bytes: Buffer, sender: Sender): void {
  const { port } = server.address() as AddressInfo
  const received: Buffer[] = []
  const socket = connect(port, '127.0.0.1', () => {
    sender.onOpen({
      key: socket.localPort ?? 0,
      end: () => void socket.end(),
      destroy: () => void socket.destroy(),
    })
    socket.write(bytes)
  })
  socket.on('data', (chunk) => void received.push(chunk))
  socket.on('error', () => {})
  socket.on('close', () => sender.onClose(Buffer.concat(received).toString('latin1')))
}

/** The server's end of a simulated connection. */
class InsideSocket extends Duplex {
  readonly received: Buffer[] = []
  readonly remoteAddress: string
  readonly remotePort = 50_000

  constructor(address: string) {
    super()
    this.remoteAddress = address
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received.push(chunk)
    done()
  }

  // Node's HTTP server calls these methods of a socket. A stream does not have these methods.
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }
}
