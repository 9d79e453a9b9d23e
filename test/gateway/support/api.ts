import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import Koa from 'koa'
import { createCatalog } from '../../../src/catalog/create-catalog.ts'
import { createEvents } from '../../../src/host/events.ts'
import { silentLogger } from '../../../src/host/logger.ts'
import { createProxyCheck } from '../../../src/health/proxy-check.ts'
import type { GatewayDependencies } from '../../../src/gateway/dependencies.ts'
import { createGatewayFrom, type Gateway } from '../../../src/gateway/gateway.ts'
import { noRevocations } from '../../../src/gateway/dependencies.ts'
import { products } from '../../fixtures/products.ts'
import { AUDIENCE, createTokenIssuer, ISSUER, type TokenIssuer } from './token-issuer.ts'

const catalog = createCatalog({
  invoices: products.invoices,
  reports: {
    title: 'Reports',
    operations: {
      'reports:read': { route: 'GET /reports/:id', title: 'Read' },
      'reports:all': { route: 'GET /reports/all', title: 'Read all' },
    },
  },
})

/** Creates a gateway with a real catalog and its own issuer. */
export async function createTestGateway(
  changes: Partial<GatewayDependencies> = {},
): Promise<{ gateway: Gateway; issuer: TokenIssuer }> {
  const issuer = await createTokenIssuer()
  const gateway = createGatewayFrom({
    check: () => [],
    issuer: ISSUER,
    audience: AUDIENCE,
    getKey: issuer.getKey,
    findScope: (method, path) => catalog.findOperation(method, path)?.scope,
    findClaims: (method, path) => catalog.findClaims(method, path),
    isKnownScope: (scope) => catalog.operations.has(scope),
    listScopes: () => [...catalog.operations.keys()],
    revocations: noRevocations,
    events: createEvents(() => {}),
    ready: () => Promise.resolve(),
    close: () => Promise.resolve(),
    startTimeoutMs: 1500,
    maxCachedTokens: 100_000,
    proxyCheck: createProxyCheck({ issuer: ISSUER, logger: changes.logger ?? silentLogger }),
    logger: silentLogger,
    ...changes,
  })
  return { gateway, issuer }
}

/** Creates a Koa app that records its errors, and the principal of each request that reaches its handler. */
export function createApp(use: (app: Koa) => void): { app: Koa; reached: unknown[]; errors: unknown[] } {
  const app = new Koa()
  const reached: unknown[] = []
  const errors: unknown[] = []
  app.on('error', (error) => errors.push(error))
  use(app)
  app.use((ctx) => {
    reached.push(ctx.state['auth'])
    ctx.body = { path: ctx.path }
  })
  return { app, reached, errors }
}

export interface RawServer {
  /**
   * Sends a request unchanged.
   *
   * @param request the whole request, which must contain `Connection: close`
   * @returns the text and the HTTP status of the response; the status is 0 if the server closed the
   *   connection without a response
   */
  send(request: string): Promise<{ status: number; text: string }>
  close(): Promise<void>
}

/** Serves an app to raw sockets, so that no client normalizes the request. */
export async function serveRaw(app: Koa): Promise<RawServer> {
  const handle = app.callback()
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    send: (request) =>
      new Promise((resolve) => {
        let text = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(request, 'latin1')))
        socket.setEncoding('latin1')
        socket.on('data', (chunk: string) => (text += chunk))
        socket.on('error', () => {})
        socket.on('close', () => resolve({ status: Number(text.slice(9, 12)), text }))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
