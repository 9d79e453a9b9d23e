/** A relay in front of a server on 127.0.0.1 that makes the way longer, and counts how often it is gone. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface SlowRelay {
  readonly port: number
  /**
   * Round trips since it was asked last, over all connections: how often something was sent after an answer. What is
   * sent together, before the first answer to it, is one.
   */
  countTrips(): number
  close(): Promise<void>
}

/** Milliseconds that data is on the way, in each direction: so much longer than it takes to send what goes together. */
const DELAY = 15

/** Starts a relay to `port`. */
export async function startSlowRelay(port: number): Promise<SlowRelay> {
  const open = new Set<Socket>()
  let trips = 0

  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    let isAnswered = true
    client.on('data', (data) => {
      if (isAnswered) trips += 1
      isAnswered = false
      setTimeout(() => upstream.write(data), DELAY)
    })
    upstream.on('data', (data) => {
      setTimeout(() => {
        isAnswered = true
        client.write(data)
      }, DELAY)
    })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    countTrips() {
      const counted = trips
      trips = 0
      return counted
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
