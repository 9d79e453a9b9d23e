import type { Middleware } from 'koa'
import { DOCUMENT_METHODS } from '../../http/public-document.ts'
import { normalizePath } from '../provider/routes.ts'
import { runProvider } from '../provider/run-provider.ts'
import type { AuthorizationServerParts } from './authorization-server.ts'
import { createReject, createRouter } from './router.ts'

const METADATA = '/.well-known/oauth-authorization-server'
/** The older name of the same document. Some clients put the older name before the path of the issuer (RFC 8414 5). */
const OPENID_CONFIGURATION = '/.well-known/openid-configuration'

/**
 * Serves the metadata about the authorization server (RFC 8414 3.1), at the root of the host name, wherever the services
 * are mounted.
 */
export function wellKnown(
  parts: Pick<AuthorizationServerParts, 'settings' | 'pages' | 'events' | 'ready' | 'proxyCheck'>,
): Middleware {
  const reject = createReject(parts.pages)
  const { pathname } = new URL(parts.settings.issuer)
  const addresses = [METADATA, OPENID_CONFIGURATION].map((name) => normalizePath(name + pathname))
  return createRouter({
    mountPath: '',
    owns: (path) => addresses.includes(normalizePath(path)),
    methods: Object.fromEntries(addresses.map((address) => [address, DOCUMENT_METHODS])),
    answer: async (ctx) => runProvider((await parts.ready()).provider, ctx, METADATA),
    reject,
    logger: parts.settings.logger,
    events: parts.events,
    proxyCheck: parts.proxyCheck,
  })
}
