import { decodeJwt } from 'jose'
import type { Middleware } from 'koa'
import { products } from '../../fixtures/products.ts'
import { startHost, type Host, type HostOptions } from '../../support/host.ts'

/** The address of a second resource beside the API of a test host. The host serves it below `/mcp`. */
export const TOOLS = 'https://tools.example/mcp'

/** The products of the host. The resource has `tools` and `invoices`, the API has all. */
export const PRODUCTS = {
  ...products,
  tools: {
    title: 'Tools',
    operations: { 'tools:use': { route: ['GET /run', 'POST /run'], title: 'Use the tools' } },
  },
} as const

export const RESOURCES = {
  [TOOLS]: { products: ['tools', 'invoices'], title: { en: 'Example tools', de: 'Beispielwerkzeuge' } },
} as const

/** Starts a host with the API and the resource, and with a gateway for each. */
export function startResources(options: HostOptions = {}): Promise<Host> {
  return startHost({
    mount(app, gatehouse) {
      app.use(gatehouse.middleware())
      app.use(gatehouse.gateway.middleware() as Middleware)
      app.use(gatehouse.gateway.for(TOOLS).middleware() as Middleware)
    },
    ...options,
    gatehouse: { products: PRODUCTS, resources: RESOURCES, ...options.gatehouse },
  })
}

/** A call of the resource, such as `GET /run`, with the status, the error and the header of the answer. */
export async function callTools(host: Host, target: string, token: string) {
  const [method = 'GET', path = '/'] = target.split(' ')
  const headers = { authorization: `Bearer ${token}` }
  const answer = await host.fetch(`${host.origin}/mcp${path}`, { method, headers })
  const body = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, body, challenge: answer.headers.get('www-authenticate') ?? '' }
}

/** The resource of an access token. */
export const audienceOf = (token: unknown) => decodeJwt(String(token)).aud

/** The products of clients that may use both. */
export const BOTH = ['invoices', 'payments', 'tools']
