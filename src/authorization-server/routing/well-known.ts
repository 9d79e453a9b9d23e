import type { Middleware } from 'koa'
import { DOCUMENT_METHODS } from '../../http/public-document.ts'
import { normalizePath } from '../provider/routes.ts'
import { runProvider } from '../provider/run-provider.ts'
import type { AuthorizationServerParts } from './authorization-server.ts'
import { createRouter } from './router.ts'

const METADATA = '/.well-known/oauth-authorization-server'
/** Some clients put the older name before the path of the issuer (RFC 8414 5). */
const OPENID_CONFIGURATION = '/.well-known/openid-configuration'

/** Serves the metadata of the server (RFC 8414 3.1), at the root of the host. */
export function wellKnown(parts: AuthorizationServerParts): Middleware {
  const { pathname } = new URL(parts.settings.issuer)
  const addresses = [METADATA, OPENID_CONFIGURATION].map((name) => normalizePath(name + pathname))
  return createRouter(parts, {
    mountPath: '',
    owns: (path) => addresses.includes(normalizePath(path)),
    methods: Object.fromEntries(addresses.map((address) => [address, DOCUMENT_METHODS])),
    answer: async (ctx) => runProvider((await parts.ready()).provider, ctx, METADATA),
  })
}
