import type { Context } from 'koa'
import type { ClientRegistry } from '../../../clients/client-registry.ts'
import type { Client } from '../../../clients/client.ts'
import { isPublicOrigin } from '../../../clients/index-entries.ts'
import { isPublicClient, originsOf } from '../../../clients/public-applications.ts'
import type { Store } from '../../../store/contract.ts'
import { ROUTES } from '../routes.ts'

// Pages at another origin that call the endpoints (CORS, Fetch 3.3). Only the pages of public applications may. This
// file is loaded only with the option `publicApplications` or `clientDocuments`.

const METHODS: Readonly<Record<string, string>> = {
  [ROUTES.token]: 'POST',
  [ROUTES.revocation]: 'POST',
  [ROUTES.userinfo]: 'GET, POST',
}

/** Browsers keep the answer to a preflight for two hours at most. */
const MAX_AGE_SECONDS = 3600

const EXPOSED = 'WWW-Authenticate, Retry-After'

export interface CorsParts {
  readonly registry: ClientRegistry
  readonly store: Pick<Store, 'range'>
  readonly documents?: unknown
}

/** Creates the rules for pages at other origins. */
export function createCors({ registry, store, documents }: CorsParts) {
  return {
    /** Answers a preflight to `route`, the path below {auth_url}. Any origin may be that of a metadata document. */
    async answerPreflight(ctx: Context, route: string): Promise<boolean> {
      const methods = METHODS[route]
      const origin = ctx.get('Origin')
      const isPreflight = ctx.method === 'OPTIONS' && ctx.get('Access-Control-Request-Method') !== ''
      if (methods === undefined || !isPreflight || hasCorsOfHost(ctx)) return false
      if (documents === undefined && !(await isPublicOrigin(store, origin))) return false
      ctx.vary('Origin')
      ctx.set({
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': ctx.get('Access-Control-Request-Headers'),
        'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
      })
      ctx.status = 204
      return true
    },

    /** Lets the page of the named public application read the response; false if it may not send the request. */
    async allow(ctx: Context, route: string, clientId: string): Promise<boolean> {
      const origin = ctx.get('Origin')
      if (METHODS[route] === undefined) return false
      const client = await registry.find(clientId)
      if (!client || !hasOrigin(client, origin)) return false
      if (!hasCorsOfHost(ctx)) {
        ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED })
      }
      return true
    },

    /** Tokens of clients that are not public are not held to origins. */
    mayUseToken: (origin: string, client: Client) => !isPublicClient(client) || hasOrigin(client, origin),

    /** @param client the client of the access token; undefined if the token was rejected */
    mayReadUserInfo: async (origin: string, client: Client | undefined): Promise<boolean> =>
      client ? hasOrigin(client, origin) : isPublicOrigin(store, origin),
  }
}

export type Cors = ReturnType<typeof createCors>

function hasOrigin(client: Client, origin: string): boolean {
  return client.kind === 'application' && isPublicClient(client) && originsOf(client).includes(origin)
}

function hasCorsOfHost({ response }: Context): boolean {
  return Boolean(response.get('Access-Control-Allow-Origin'))
}
