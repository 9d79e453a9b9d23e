import type { Context, Middleware } from 'koa'
import type { CurrentCatalog } from '../../catalog/catalog.ts'
import type { HostAccounts } from '../../host/host-accounts.ts'
import type { EventSink } from '../../host/events.ts'
import type { Logger } from '../../host/logger.ts'
import { answerError, answerErrorAsJson } from '../../http/error-response.ts'
import type { Pages } from '../interaction/pages.ts'
import type { InteractionPort } from '../interaction/port.ts'
import { interactionRoutes } from '../interaction/routes.ts'
import type { InteractionOptions } from '../interaction/step.ts'
import type { BuiltProvider } from '../provider/build-provider.ts'
import { isForPrograms, METHODS, normalizePath, REVOCATION_FEED, ROUTES } from '../provider/routes.ts'
import { runProvider } from '../provider/run-provider.ts'
import type { ClientRegistry } from '../../clients/client-registry.ts'
import type { RevocationSource } from '../../revocation/revocation-source.ts'
import { checkRequest } from './check-request.ts'
import { respondWithJwks } from '../provider/endpoints/jwks.ts'
import { postToGet } from './post-to-get.ts'
import { AUTHORIZATION_PARAMETERS } from '../provider/endpoints/authorize.ts'
import { END_SESSION_PARAMETERS } from '../provider/endpoints/end-session.ts'
import { fail } from './server-error.ts'
import type { InsecureProxyWarning } from './insecure-proxy-warning.ts'
import { createRevocationFeed } from '../provider/endpoints/revocation-feed.ts'
import { service } from './router.ts'

/** What the authorization service is handed. */
export interface AuthorizationServerParts {
  readonly settings: {
    readonly issuer: string
    readonly mountPath: string
    readonly logger: Logger
    readonly signInAttempts: InteractionOptions['signInAttempts']
  }
  readonly accounts: HostAccounts
  readonly catalog: CurrentCatalog
  readonly port: InteractionPort
  readonly pages: Pages
  readonly csrfKeys: readonly Uint8Array[]
  readonly events: EventSink
  readonly registry: ClientRegistry
  readonly revocationSource: RevocationSource
  readonly warnOnInsecureProxy: InsecureProxyWarning
  /** Seconds for which anybody may keep the keys. */
  readonly jwksMaxAge: number
  /** Waits until it runs, as long as a request may wait. */
  ready(): Promise<{ built: BuiltProvider; keyRing: { published: { keys: readonly object[] } } }>
}

/**
 * Everything below {auth_url}: keys, revocations, the pages of an interaction, forms that other sites post, and for
 * the rest oidc-provider.
 */
export function authorizationServer(parts: AuthorizationServerParts): Middleware {
  const { settings, pages, registry, revocationSource } = parts
  const { issuer, signInAttempts } = settings
  const interaction = interactionRoutes({ ...parts, issuer, signInAttempts })
  const feed = createRevocationFeed({ registry, source: revocationSource, realm: issuer })

  async function keySet(ctx: Context, path: string): Promise<boolean> {
    if (normalizePath(path) !== ROUTES.jwks) return false
    respondWithJwks(ctx, (await parts.ready()).keyRing.published, parts.jwksMaxAge)
    return true
  }

  async function revocations(ctx: Context, path: string): Promise<boolean> {
    if (normalizePath(path) !== REVOCATION_FEED) return false
    await feed(ctx)
    return true
  }

  async function postedForm(ctx: Context, path: string): Promise<boolean> {
    const route = normalizePath(path)
    const parameters = POSTED[route]
    if (ctx.method !== 'POST' || !parameters) return false
    const rejection = await postToGet(ctx, new URL(issuer + route), parameters)
    if (rejection) {
      const description = 'the form could not be read'
      answerError(ctx, pages, { ...rejection, error: 'invalid_request', text: 'errorBody', description })
    }
    return true
  }

  async function provider(ctx: Context, path: string): Promise<boolean> {
    const checked = await checkRequest(ctx, path, { issuer, events: parts.events })
    if ('form' in checked) {
      return runProvider((await parts.ready()).built.provider, ctx, path, checked.form)
    }
    if (isForPrograms(path)) answerErrorAsJson(ctx, checked.rejection)
    else answerError(ctx, pages, { ...checked.rejection, text: 'errorBody' })
    return true
  }

  return service({
    mountPath: settings.mountPath,
    owns: (path) => OWN_PATHS.test(path),
    methods: METHODS,
    ready: async () => void (await parts.ready()),
    answerers: [keySet, revocations, interaction, postedForm, provider],
    fail: fail(parts),
    warnOnInsecureProxy: parts.warnOnInsecureProxy,
  })
}

/** What begins like one of our addresses; a host may have pages of its own below {auth_url}. */
const OWN_PATHS =
  /^\/(oauth2|interaction|\.well-known\/(openid-configuration|oauth-authorization-server))(\/|$)/i

const POSTED: Readonly<Record<string, readonly string[]>> = {
  [ROUTES.authorization]: AUTHORIZATION_PARAMETERS,
  [ROUTES.end_session]: END_SESSION_PARAMETERS,
}
