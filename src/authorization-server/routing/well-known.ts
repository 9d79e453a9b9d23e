import type { Middleware } from 'koa'
import compose from 'koa-compose'
import { DOCUMENT_METHODS } from '../../http/public-document.ts'
import { normalizePath } from '../provider/routes.ts'
import { runProvider } from '../provider/run-provider.ts'
import type { AuthorizationServerParts } from './authorization-server.ts'
import { createReject } from './reject.ts'
import { createRouter } from './router.ts'
import { fail } from './server-error.ts'

const METADATA = '/.well-known/oauth-authorization-server'

/**
 * Serves two documents at the root of the host name, independent of where the services are mounted. They are
 * the metadata about the authorization server (RFC 8414 3.1) and the metadata about the API (RFC 9728 3.1).
 *
 * @param gateway serves the metadata about the API
 */
export function wellKnown(
  parts: Pick<AuthorizationServerParts, 'settings' | 'pages' | 'events' | 'ready' | 'warnOnInsecureProxy'>,
  gateway: { wellKnown(): Middleware },
): Middleware {
  const reject = createReject(parts.pages)
  const address = normalizePath(METADATA + new URL(parts.settings.issuer).pathname)
  const authorizationServer = createRouter({
    mountPath: '',
    owns: (path) => normalizePath(path) === address,
    methods: { [address]: DOCUMENT_METHODS },
    answer: async (ctx) => runProvider((await parts.ready()).provider, ctx, METADATA),
    reject,
    fail: fail({ ...parts, reject }),
    warnOnInsecureProxy: parts.warnOnInsecureProxy,
  })
  return compose([authorizationServer, gateway.wellKnown()]) as Middleware
}
