/** A host to be measured: a gatehouse with its gateway on 127.0.0.1, whose users are who a cookie says they are. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import Koa from 'koa'
import { createGatehouse } from '../src/gatehouse/create-gatehouse.ts'
import type { Gatehouse } from '../src/gatehouse/gatehouse.ts'
import type { GatehouseOptions } from '../src/options/options.ts'
import type { Store } from '../src/store/contract.ts'

/** The cookie that names the account of whoever uses the browser. */
export const ACCOUNT_COOKIE = 'account'

/** Where applications get their codes; nobody listens there. */
export const CALLBACK = 'https://app.example/callback'

/** Two products, of two and of four operations. */
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

/** All scopes of the two, as an application asks for them. */
export const SCOPES = Object.values(products)
  .flatMap(({ operations }) => Object.keys(operations))
  .join(' ')

export interface MeasuredHost {
  readonly gatehouse: Gatehouse
  readonly issuer: string
  readonly origin: string
  /** Idempotent. The store stays open. */
  close(): Promise<void>
}

/**
 * Starts a host; settles when it is ready.
 *
 * @param options.servicePort of the issuer, where that is another process
 * @param options.gatehouse options that differ
 */
export async function startHost(options: {
  readonly store: Store
  readonly port: number
  readonly servicePort?: number | undefined
  readonly gatehouse?: Partial<GatehouseOptions> | undefined
}): Promise<MeasuredHost> {
  const { store, port, servicePort = port } = options
  const origin = `http://127.0.0.1:${servicePort}`
  const issuer = `${origin}/auth`
  const gatehouse: Gatehouse = createGatehouse({
    issuer,
    audience: `${origin}/api`,
    secret: 'a secret for measurements, long enough to be one',
    store,
    products,
    accounts: {
      find: (id) => ({ id }),
      current(ctx) {
        const accountId = ctx.cookies.get(ACCOUNT_COOKIE)
        return accountId ? { accountId } : undefined
      },
      signInUrl: () => '/sign-in',
    },
    ...options.gatehouse,
  })
  const app = new Koa()
  // Who is connected to it sees for themselves that it failed.
  app.on('error', () => {})
  app.use(gatehouse.middleware())
  app.use(gatehouse.gateway.middleware())
  app.use((ctx) => void (ctx.body = 'served'))
  const handle = app.callback()
  const server = createServer((incoming, response) => void handle(incoming, response))
  // Longer than anything here: a connection that ends while a request is on its way is not what is measured.
  server.keepAliveTimeout = 300_000
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  await gatehouse.ready({ timeoutMs: 20_000 })
  return { gatehouse, issuer, origin, close: () => close(server, gatehouse) }
}

async function close(server: Server, gatehouse: Gatehouse): Promise<void> {
  await gatehouse.close()
  server.closeAllConnections()
  server.close()
}
