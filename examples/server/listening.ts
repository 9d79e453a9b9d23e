import type { Server } from 'node:http'
import type Koa from 'koa'
import { StartError } from './start-error.ts'

/**
 * Listens on a port.
 *
 * @param variable the environment variable that chooses another port
 * @throws {StartError} if the port is taken or not allowed
 */
export function listen(app: Koa, port: number, variable: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(port)
    // With Node's defaults, slow clients could keep their connections for minutes.
    server.headersTimeout = 10_000
    server.requestTimeout = 20_000
    server.maxConnections = 10_000
    server.once('listening', () => resolve(server))
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${error.code})`
      reject(new StartError(`Port ${port} ${reason}; choose another port with ${variable}=…`))
    })
  })
}
