/** A host to measure: a gatehouse with its gateway on 127.0.0.1. A cookie names the user who is signed in. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import { createGatehouse } from '../src/gatehouse/create-gatehouse.ts'
import type { Gatehouse } from '../src/gatehouse/gatehouse.ts'
import type { GatehouseOptions } from '../src/options/options.ts'
import type { Store } from '../src/store/contract.ts'
import { signedIn } from './authorize.ts'

/** The redirect URI of applications; no server listens there. */
export const CALLBACK = 'https://app.example/callback'

/** Two products, with two and four operations. */
export const products = {
  invoices: {
    title: 'Invoices',
    operations: {
      'invoices:read': { route: 'GET /invoices/:id', title: 'Read invoices' },
      'invoices:create': { route: 'POST /invoices', title: 'Create invoices' },
    },
  },
  payments: {
    title: 'Payments',
    operations: {
      'payments:list': { route: 'GET /payments', title: 'List payments' },
      'payments:read': { route: 'GET /payments/:id', title: 'Read payments' },
      'payments:create': { route: 'POST /payments', title: 'Prepare payments' },
      'payments:transfer': { route: 'POST /payments/:id/transfer', title: 'Move money' },
    },
  },
} as const

/** The scopes of both products, as an application requests them. */
export const SCOPES = Object.values(products)
  .flatMap(({ operations }) => Object.keys(operations))
  .join(' ')

export interface MeasuredHost {
  readonly gatehouse: Gatehouse
  readonly issuer: string
  readonly origin: string
  readonly server: Server
  /** Closes the gatehouse and the server. The store stays open. Idempotent. */
  close(): Promise<void>
}

/**
 * Starts a host, and settles when it is ready.
 *
 * @param options.servicePort the port of the issuer, if the issuer is another process
 * @param options.app the host's app. @default one without a proxy in front of it
 * @param options.gatehouse options that replace the defaults of this function
 */
export async function startHost(options: {
  readonly store: Store
  readonly port: number
  readonly servicePort?: number | undefined
  readonly app?: Koa | undefined
  readonly gatehouse?: Partial<GatehouseOptions> | undefined
}): Promise<MeasuredHost> {
  const { store, port, servicePort = port, app = new Koa() } = options
  const origin = `http://127.0.0.1:${servicePort}`
  const issuer = `${origin}/auth`
  const gatehouse: Gatehouse = createGatehouse({
    issuer,
    audience: `${origin}/api`,
    secret: 'a secret for measurements, long enough to be one',
    store,
    maxClientsPerAccount: 100_000,
    products,
    accounts: {
      find: (id) => ({ id }),
      current: signedIn,
      signInUrl: () => '/sign-in',
    },
    ...options.gatehouse,
  })
  // Clients report failed requests, so the app does not print them.
  app.on('error', () => {})
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
  app.use(async (ctx) => {
    if (ctx.path === '/health') ctx.status = (await gatehouse.gateway.health()).ready ? 200 : 503
    ctx.body = 'served'
  })
  const handle = app.callback()
  const server = createServer((incoming, response) => void handle(incoming, response))
  // This is longer than any measurement, so that no connection closes while a request arrives.
  server.keepAliveTimeout = 300_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  await gatehouse.ready({ timeoutMs: 20_000 })
  return { gatehouse, issuer, origin, server, close: () => close(server, gatehouse) }
}

async function close(server: Server, gatehouse: Gatehouse): Promise<void> {
  await gatehouse.close()
  server.closeAllConnections()
  server.close()
}
