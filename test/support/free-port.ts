import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * The range of the ports. It lies below the ports that the system gives to outgoing connections. Otherwise a connection
 * could take a port before its server starts, or while its server restarts.
 */
const FIRST = 10_000
const LAST = 32_000

const MAX_ATTEMPTS = 100

/** Finds a TCP port of 127.0.0.1 that no process listens on now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Finds `count` different free TCP ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const found = await Promise.all(Array.from({ length: count }, listenAnywhere))
  await Promise.all(
    found.map(({ server }) => {
      server.close()
      return once(server, 'close')
    }),
  )
  return found.map(({ port }) => port)
}

async function listenAnywhere(): Promise<{ readonly server: Server; readonly port: number }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return { server, port }
    } catch {
      // Another process listens on the port.
    }
  }
  throw new Error(`no free port was found in ${MAX_ATTEMPTS} attempts`)
}
