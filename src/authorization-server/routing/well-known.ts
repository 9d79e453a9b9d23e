import type { Middleware } from 'koa'
import compose from 'koa-compose'
import { DOCUMENT_METHODS } from '../../http/public-document.ts'
import { runProvider } from '../provider/run-provider.ts'
import { fail } from './server-error.ts'
import { normalizePath } from '../provider/routes.ts'
import { service } from './router.ts'
import type { AuthorizationServerParts } from './authorization-server.ts'

const METADATA = '/.well-known/oauth-authorization-server'

/**
 * The documents that stand at the root of a host, wherever the services are: metadata about the authorization
 * server (RFC 8414 3.1) and about the API (RFC 9728 3.1).
 *
 * @param gateway serves the latter
 */
export function wellKnown(
  parts: Pick<AuthorizationServerParts, 'settings' | 'pages' | 'events' | 'ready' | 'warnOnInsecureProxy'>,
  gateway: { wellKnown(): Middleware },
): Middleware {
  const address = METADATA + new URL(parts.settings.issuer).pathname.replace(/\/$/, '')
  const authorizationServer = service({
    mountPath: '',
    owns: (path) => normalizePath(path) === address.toLowerCase(),
    methods: { [address.toLowerCase()]: DOCUMENT_METHODS },
    ready: async () => {},
    answerers: [async (ctx) => runProvider((await parts.ready()).built.provider, ctx, METADATA)],
    fail: fail(parts),
    warnOnInsecureProxy: parts.warnOnInsecureProxy,
  })
  return compose([authorizationServer, gateway.wellKnown()]) as Middleware
}
