import { Router } from '@koa/router'
import type { Gatehouse } from 'koa-gatehouse'

/**
 * The health of the service, for monitoring. The status 200 or 503 says whether API calls are accepted. Calls
 * are accepted even while the store is unavailable, so a load balancer then keeps this process. The body
 * contains no secrets. To hide how the service is built, answer with `ready` and `status` only.
 */
export function health(gatehouse: Gatehouse): Router {
  return new Router().get('/health', async (ctx) => {
    const [service, gateway] = await Promise.all([gatehouse.health(), gatehouse.gateway.health()])
    ctx.status = gateway.ready ? 200 : 503
    ctx.set('cache-control', 'no-store')
    ctx.body = service
  })
}
