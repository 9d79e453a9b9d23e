import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** Finds a TCP port of 127.0.0.1 that no process listens on now. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** Finds `count` different free TCP ports of 127.0.0.1. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(
    servers.map((server) => {
      server.close()
      return once(server, 'close')
    }),
  )
  return ports
}
