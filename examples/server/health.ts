import { Router } from '@koa/router'
import type { Gatehouse } from 'koa-gatehouse'

/**
 * How the service is doing, for monitoring: 200 or 503 says whether API calls are let through. They are while the store
 * is away, so that nobody takes this process out of service for that. Nothing of it is secret; whoever would rather not
 * show how a service is built answers `ready` and `verdict` alone.
 */
export function health(gatehouse: Gatehouse): Router {
  return new Router().get('/health', async (ctx) => {
    const [service, gateway] = await Promise.all([gatehouse.health(), gatehouse.gateway.health()])
    ctx.status = gateway.ready ? 200 : 503
    ctx.set('cache-control', 'no-store')
    ctx.body = service
  })
}
